/** Answers that are no result yet: who gets a question or a task, and how. The same whether a call takes the short way or the SDK's. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createFixtureBackend, NAME_FORM, WORKING } from "./fixture-backend.ts";
import { call, envelope, initialize, type JsonObject, messagesOf, modernHeaders, type Served, serve } from "./serve.ts";

const capabilities = (declared: JsonObject) => envelope({ "io.modelcontextprotocol/clientCapabilities": declared });
const FORMS = { elicitation: { form: {} } };
const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };

describe.each([
  { way: "by hand", handPath: true },
  { way: "through the SDK", handPath: false },
])("$way", ({ handPath }) => {
  let served: Served;
  beforeAll(() => {
    served = serve(createFixtureBackend(), { handPath });
  });
  afterAll(() => served.close());

  async function modern(tool: string, declared: JsonObject, more: JsonObject = {}) {
    const { params, ...message } = call(1, tool, {}, capabilities(declared)) as { params: JsonObject };
    const response = await served.post({ ...message, params: { ...params, ...more } }, modernHeaders(tool));
    return { status: response.status, answer: (await messagesOf(response)).at(-1) };
  }

  async function legacy(tool: string, params: JsonObject) {
    const response = await served.post(call(1, tool), await initialize(served, {}, params));
    return (await messagesOf(response)).at(-1);
  }

  const saying = (abilities: JsonObject) => ({ result: { content: [{ type: "text", text: JSON.stringify(abilities) }] } });

  test("a call knows what its own request declared", async () => {
    const cases: readonly [JsonObject, { elicitation: boolean; tasks: boolean }][] = [
      [{}, { elicitation: false, tasks: false }],
      [{ elicitation: {} }, { elicitation: true, tasks: false }],
      [FORMS, { elicitation: true, tasks: false }],
      [{ elicitation: { url: {} } }, { elicitation: false, tasks: false }],
      [
        { ...TASKS, elicitation: { url: {}, form: {} } },
        { elicitation: true, tasks: true },
      ],
    ];
    for (const [declared, abilities] of cases) {
      expect((await modern("abilities", declared)).answer).toMatchObject(saying({ era: "modern", ...abilities }));
    }
  });

  test("a legacy call knows what its connection declared; tasks of this kind did not exist yet", async () => {
    expect(await legacy("abilities", {})).toMatchObject(saying({ era: "legacy", elicitation: false, tasks: false }));
    expect(await legacy("abilities", { capabilities: { ...FORMS, ...TASKS } })).toMatchObject(
      saying({ era: "legacy", elicitation: true, tasks: false }),
    );
  });

  test("a question goes out as it is, and the answers come back with the call that is sent again", async () => {
    const { status, answer } = await modern("question", FORMS);
    expect(status).toBe(200);
    expect(answer?.["result"]).toEqual({
      resultType: "input_required",
      inputRequests: { name: { method: "elicitation/create", params: { mode: "form", ...NAME_FORM } } },
      requestState: "first round",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "fixture", version: "1" } },
    });
    const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };
    const again = await modern("question", FORMS, { inputResponses, requestState: "first round" });
    expect(again.answer).toMatchObject({
      result: { resultType: "complete", structuredContent: { name: { inputResponses, requestState: "first round" } } },
    });
  });

  test("who cannot show forms is told what is missing", async () => {
    for (const declared of [{}, { elicitation: { url: {} } }, TASKS]) {
      expect(await modern("question", declared)).toMatchObject({
        status: 400,
        answer: { error: { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } } },
      });
    }
  });

  test("a task goes out as a flat handle, whatever the tool's output schema says", async () => {
    const { answer } = await modern("background", TASKS);
    expect(answer?.["result"]).toEqual({
      resultType: "task",
      ...WORKING,
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "fixture", version: "1" } },
    });
  });

  test("who did not declare tasks is told that they are missing", async () => {
    expect(await modern("background", FORMS)).toMatchObject({
      status: 400,
      answer: { error: { code: -32021, data: { requiredCapabilities: TASKS } } },
    });
    expect(await legacy("background", { capabilities: TASKS })).toMatchObject({ error: { code: -32603 } });
  });
});
