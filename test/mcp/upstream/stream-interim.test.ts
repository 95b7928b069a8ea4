/** Questions and tasks over a byte stream: by hand and through the SDK alike. */
import { describe, expect, test } from "bun:test";
import { createFixtureBackend, NAME_FORM, WORKING } from "./fixture-backend.ts";
import { hello, line, openPipe } from "./pipe.ts";
import { call, envelope, type JsonObject } from "./serve.ts";

const FORMS = { elicitation: { form: {} } };
const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const backend = {
  ...createFixtureBackend(),
  tasks: {
    get: async (_session: unknown, id: string) => (id === WORKING.taskId ? ({ ok: true, result: WORKING } as const) : undefined),
    update: async () => undefined,
    cancel: async () => undefined,
  },
};

describe.each([
  { way: "by hand", handPath: true },
  { way: "through the SDK", handPath: false },
])("$way", ({ handPath }) => {
  test("a modern client gets what each of its requests has declared", async () => {
    await using pipe = openPipe(backend, { handPath });
    const ask = (message: JsonObject, declared: JsonObject) => {
      const _meta = envelope({ "io.modelcontextprotocol/clientCapabilities": declared });
      pipe.write(line({ ...message, params: { ...(message["params"] as JsonObject), _meta } }));
      return pipe.next();
    };
    expect(await ask(call(1, "echo"), {})).toMatchObject({ id: 1, result: { resultType: "complete" } });
    const before = pipe.edge.handCalls();
    expect(await ask(call(2, "question"), FORMS)).toMatchObject({
      id: 2,
      result: { resultType: "input_required", inputRequests: { name: { params: NAME_FORM } }, requestState: "first round" },
    });
    expect(await ask(call(3, "question"), TASKS)).toMatchObject({ error: { code: -32021, data: { requiredCapabilities: FORMS } } });
    const started = await ask(call(4, "background"), TASKS);
    expect(started).toMatchObject({ id: 4, result: { resultType: "task", ...WORKING } });
    expect(started["result"]).not.toHaveProperty("content");
    expect(await ask(call(5, "background"), FORMS)).toMatchObject({ error: { code: -32021, data: { requiredCapabilities: TASKS } } });
    expect(pipe.edge.handCalls() - before).toBe(handPath ? 4 : 0);

    const get = (taskId: string) => ({ jsonrpc: "2.0", id: 6, method: "tasks/get", params: { taskId } });
    expect(await ask(get("t_1"), TASKS)).toMatchObject({ result: { resultType: "complete", ...WORKING } });
    expect(await ask(get("t_2"), TASKS)).toMatchObject({ error: { code: -32602 } });
    expect(await ask(get("t_1"), FORMS)).toMatchObject({ error: { code: -32021 } });
  });

  test("a legacy client is asked in the middle of its call, and never given a task", async () => {
    await using pipe = openPipe(backend, { handPath });
    pipe.write(line({ ...hello, params: { ...(hello["params"] as JsonObject), capabilities: { ...FORMS, ...TASKS } } }));
    await pipe.next();
    pipe.write(line({ jsonrpc: "2.0", method: "notifications/initialized" }));
    pipe.write(line(call(1, "form")));
    const question = await pipe.next();
    expect(question).toMatchObject({ method: "elicitation/create", params: NAME_FORM });
    pipe.write(line({ jsonrpc: "2.0", id: question["id"], result: { action: "decline" } }));
    expect(await pipe.next()).toMatchObject({ id: 1, result: { content: [{ text: '{"action":"decline"}' }] } });
    pipe.write(line(call(2, "background")));
    expect(await pipe.next()).toMatchObject({ id: 2, error: { code: -32603 } });
  });
});
