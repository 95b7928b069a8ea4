/** Prompts and resources that ask before they answer: the request comes again with the answers. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer, Brought, Surface } from "../../../src/mcp/upstream/backend.ts";
import { createFixtureBackend, NAME_FORM } from "./fixture-backend.ts";
import { call, envelope, events, initialize, type JsonObject, modernHeaders, onlyMessage, type Served, serve } from "./serve.ts";

const seen: Brought[] = [];
const question: Answer = {
  ok: true,
  result: {
    resultType: "input_required",
    inputRequests: { name: { method: "elicitation/create", params: { mode: "form", ...NAME_FORM } } },
    requestState: "first round",
  },
};

function answering(result: JsonObject, brought: Brought): Answer {
  seen.push(brought);
  return brought.inputResponses === undefined ? question : { ok: true, result };
}

const surface: Surface = {
  list: () => ({ entries: [], ttlMs: 0 }),
  getPrompt: async (_session, _name, _args, brought) => answering({ messages: [] }, brought),
  readResource: async (_session, uri, brought) => answering({ contents: [{ uri, text: "read" }], ttlMs: 5 }, brought),
  complete: async () => ({ ok: true, result: { completion: { values: [] } } }),
  watch: async () => ({ ok: true, stop: () => undefined }),
  onChanged: () => () => undefined,
};

let served: Served;
beforeAll(() => {
  served = serve({ ...createFixtureBackend(), capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} }, surface });
});
afterAll(() => served.close());

const FORMS = { elicitation: { form: {} } };
const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };

describe.each([
  { method: "prompts/get", params: { name: "p" }, header: "p", done: { messages: [] } },
  {
    method: "resources/read",
    params: { uri: "u:1" },
    header: "u:1",
    done: { contents: [{ uri: "u:1", text: "read" }], ttlMs: 5, cacheScope: "private" },
  },
])("$method", ({ method, params, header, done }) => {
  const modern = async (more: JsonObject, declared: JsonObject = FORMS) => {
    const _meta = envelope({ "io.modelcontextprotocol/clientCapabilities": declared });
    const headers = { ...modernHeaders(header), "mcp-method": method };
    return onlyMessage(await served.post({ jsonrpc: "2.0", id: 1, method, params: { ...params, ...more, _meta } }, headers));
  };

  test("asks a modern client, and goes on with what it answers", async () => {
    seen.length = 0;
    const { result } = await modern({});
    expect(result).toMatchObject(question.ok ? question.result : {});
    expect(result).not.toHaveProperty("cacheScope");
    expect((await modern({ inputResponses, requestState: "first round" }))["result"]).toMatchObject({ ...done, resultType: "complete" });
    expect(seen).toMatchObject([
      { client: { era: "modern", elicitation: true, tasks: false } },
      { client: { era: "modern", elicitation: true, tasks: false }, inputResponses, requestState: "first round" },
    ]);
  });

  test("does not ask who cannot show forms", async () => {
    expect(await modern({}, {})).toMatchObject({ error: { code: -32021, data: { requiredCapabilities: FORMS } } });
  });

  test("refuses answers with a number that would be altered", async () => {
    seen.length = 0;
    const answers = { name: { action: "accept", content: { name: 2 ** 53 + 2 } } };
    expect(await modern({ inputResponses: answers })).toMatchObject({ error: { code: -32602 } });
    expect(seen).toEqual([]);
  });

  test("asks a legacy client on the way", async () => {
    const headers = await initialize(served, {}, { capabilities: FORMS });
    const messages = events(await served.post({ ...call(1, ""), method, params }, headers));
    const asked = (await messages.next()).value;
    expect(asked).toMatchObject({ method: "elicitation/create", params: NAME_FORM });
    await served.post({ jsonrpc: "2.0", id: asked?.["id"], result: inputResponses.name }, headers);
    expect((await messages.next()).value).toMatchObject({ result: method === "prompts/get" ? done : { contents: [{ text: "read" }] } });
  });
});
