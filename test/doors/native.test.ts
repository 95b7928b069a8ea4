/** Prompts and resources as MCP has them, for clients of every kind. */
import { describe, expect, test } from "bun:test";
import { clientOf, KINDS, result, surface, surfaceServer } from "./native-fixture.ts";

describe.each(KINDS)("a client of the kind %s", (kind) => {
  test("lists prompts and resources of every server, and gets and reads them", async () => {
    const mail = surfaceServer();
    const notes = surfaceServer({ prompts: [], templates: [] });
    await using world = await surface({ servers: { notes, mail } });
    const client = await clientOf(world, kind);
    expect(client.getServerCapabilities()).toMatchObject({
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      completions: {},
    });
    expect((await client.listPrompts()).prompts).toEqual([
      { name: "mail__greet", description: "[mail] Greets", arguments: [{ name: "who", required: true }] },
    ]);
    expect((await client.listResources()).resources).toEqual([
      { uri: "toolcrib://mail/note://1", name: "one", mimeType: "text/plain" },
      { uri: "toolcrib://notes/note://1", name: "one", mimeType: "text/plain" },
    ]);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
      { uriTemplate: "toolcrib://mail/note://{id}/raw", name: "raw" },
    ]);

    const prompt = await client.getPrompt({ name: "mail__greet", arguments: { who: "Ada" } });
    expect(prompt.messages).toEqual([
      { role: "user", content: { type: "text", text: JSON.stringify({ name: "greet", arguments: { who: "Ada" } }) } },
    ]);
    for (const uri of ["note://1", "note://7/raw", "other:undeclared"])
      expect((await client.readResource({ uri: `toolcrib://notes/${uri}` })).contents).toEqual([{ uri, text: `content of ${uri}` }]);
    expect([mail.requests.length, notes.requests.length]).toEqual([1, 3]);
  });

  test("gets results as the server gave them", async () => {
    const blob = Buffer.from("bytes").toString("base64");
    const prompt = {
      description: "odd",
      messages: [
        { role: "user", content: { type: "resource", resource: { uri: "a://1", blob, mimeType: "image/png", _meta: { x: [1] } } } },
        { role: "assistant", content: { type: "image", data: blob, mimeType: "image/png", annotations: { priority: 1 } } },
      ],
      _meta: { "example.org/trace": { deep: [null, 1.5] } },
    };
    const read = { contents: [{ uri: "note://1", blob, mimeType: "image/png", _meta: { ui: { csp: {} } } }], _meta: { more: true } };
    const mail = surfaceServer({ answer: ({ method }) => result(method === "prompts/get" ? prompt : read) });
    await using world = await surface({ servers: { mail } });
    const client = await clientOf(world, kind);
    expect(await client.getPrompt({ name: "mail__greet", arguments: { who: "Ada" } })).toMatchObject(prompt);
    expect(await client.readResource({ uri: "toolcrib://mail/note://1" })).toMatchObject(read);
  });
});
