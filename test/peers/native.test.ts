/** The reference server's prompts, resources, completions and subscriptions through us, as clients of both eras get them. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Gateway, startGateway } from "./gateway.ts";
import { EVERYTHING, LIMIT_MS, MISSING, named, stdio, until } from "./peers.ts";

setDefaultTimeout(LIMIT_MS);

describe.skipIf(MISSING)(named("server-everything, natively"), () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ all: stdio(EVERYTHING, ["stdio"]) });
  });
  afterAll(() => gateway?.stop());

  test.each(["legacy", "auto"] as const)("for a client in mode %s", async (mode) => {
    const client = await gateway.client(mode);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name).sort()).toEqual([
      "all__args-prompt",
      "all__completable-prompt",
      "all__resource-prompt",
      "all__simple-prompt",
    ]);
    expect((await client.getPrompt({ name: "all__args-prompt", arguments: { city: "Ulm" } })).messages).toEqual([
      { role: "user", content: { type: "text", text: "What's weather in Ulm?" } },
    ]);
    const chosen = { type: "ref/prompt", name: "all__completable-prompt" } as const;
    expect((await client.complete({ ref: chosen, argument: { name: "department", value: "S" } })).completion.values).toEqual([
      "Sales",
      "Support",
    ]);
    const context = { arguments: { department: "Sales" } };
    expect((await client.complete({ ref: chosen, argument: { name: "name", value: "" }, context })).completion.values).toEqual([
      "David",
      "Eve",
      "Frank",
    ]);

    const { resources } = await client.listResources();
    expect(resources.length).toBeGreaterThan(5);
    const [first] = resources;
    expect(first?.uri).toStartWith("toolcrib://all/demo://resource/static/document/");
    const { contents } = await client.readResource({ uri: first?.uri ?? "" });
    expect(contents[0]).toMatchObject({ uri: first?.uri.slice("toolcrib://all/".length), text: expect.any(String) });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain("toolcrib://all/demo://resource/dynamic/blob/{resourceId}");
    for (const uri of ["toolcrib://all/demo://resource/dynamic/blob/1", "demo://resource/dynamic/blob/1"])
      expect((await client.readResource({ uri })).contents[0]).toMatchObject({
        uri: "demo://resource/dynamic/blob/1",
        blob: expect.any(String),
      });
  });

  test("tells both of a resource that changed", async () => {
    const uri = "toolcrib://all/demo://resource/dynamic/text/1";
    const heard = { legacy: 0, auto: 0 };
    const [legacy, modern] = [await gateway.client("legacy"), await gateway.client("auto")];
    legacy.setNotificationHandler("notifications/resources/updated", ({ params }) => void (params.uri === uri && heard.legacy++));
    modern.setNotificationHandler("notifications/resources/updated", ({ params }) => void (params.uri === uri && heard.auto++));
    await legacy.subscribeResource({ uri });
    await modern.listen({ resourceSubscriptions: [uri] });
    await modern.callTool({ name: "all__toggle-subscriber-updates", arguments: {} });
    await until(() => heard.legacy > 0 && heard.auto > 0);
    await modern.callTool({ name: "all__toggle-subscriber-updates", arguments: {} });
  });
});
