/** Resources as an agent reads them: short texts are told, everything else becomes a file. */
import { describe, expect, test } from "bun:test";
import { documentOf, inbox, message, world } from "./world.ts";

describe("mcp_list_resources", () => {
  test("lists resources and templates from what is known", async () => {
    const { ask } = await world();
    expect(documentOf(await ask("mcp_list_resources", { server_name: "mail" }))).toEqual({
      server: "mail",
      resources: [inbox],
      templates: [message],
    });
  });
});

describe("mcp_read_resource", () => {
  const reading = (contents: unknown[]) => world(async () => ({ kind: "result", result: { contents } }));

  test("tells a short text as it is", async () => {
    const { ask } = await reading([{ uri: "mail://inbox", mimeType: "text/plain", text: "x".repeat(32_000) }]);
    const answer = await ask("mcp_read_resource", { server_name: "mail", uri: "mail://inbox" });
    expect(documentOf(answer)).toEqual({
      server: "mail",
      uri: "mail://inbox",
      contents: [{ uri: "mail://inbox", mimeType: "text/plain", text: "x".repeat(32_000) }],
    });
  });

  test("stores a long text and anything binary as a file, and never tells base64", async () => {
    const bytes = Buffer.from([137, 80, 78, 71, 0, 255]);
    const { ask } = await reading([
      { uri: "mail://a", text: "y".repeat(32_001) },
      { uri: "mail://b", mimeType: "image/png", blob: bytes.toString("base64") },
    ]);
    const { contents } = documentOf(await ask("mcp_read_resource", { server_name: "mail", uri: "mail://a" })) as {
      contents: { path: string; name: string; size: number; mime: string; note: string; text?: string }[];
    };
    expect(contents.map(({ size, mime, text: told }) => ({ size, mime, told }))).toEqual([
      { size: 32_001, mime: "text/plain", told: undefined },
      { size: 6, mime: "image/png", told: undefined },
    ]);
    expect(contents[1]?.name).toMatch(/^mail-resource-[0-9a-f]{8}\.png$/);
    expect([...new Uint8Array(await Bun.file(contents[1]?.path ?? "").arrayBuffer())]).toEqual([...bytes]);
    expect(await Bun.file(contents[0]?.path ?? "").text()).toBe("y".repeat(32_001));
  });

  test("says what the server declares when it turns down what it does not", async () => {
    const { ask } = await world();
    const other = await ask("mcp_read_resource", { server_name: "mail", uri: "mail://else" });
    expect([other.isError, other.content[0]?.text]).toEqual([true, expect.stringContaining("mail://inbox, mail://message/{id}")]);
    const declared = await ask("mcp_read_resource", { server_name: "mail", uri: "mail://message/7" });
    expect(declared.content[0]?.text).toBe("gone");
  });
});
