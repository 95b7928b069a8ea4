/** Tasks at the edge: who may ask about which, and what is answered. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer, Tasks } from "../../../src/mcp/upstream/backend.ts";
import { createFixtureBackend, NAME_FORM, WORKING } from "./fixture-backend.ts";
import { call, envelope, initialize, type JsonObject, modernHeaders, onlyMessage, type Served, serve } from "./serve.ts";

const EXTENSION = "io.modelcontextprotocol/tasks";
const TASKS = { extensions: { [EXTENSION]: {} } };
const inputRequests = { name: { method: "elicitation/create", params: { mode: "form", ...NAME_FORM } } };

/** What the fixture knows, by session name and id. */
const KNOWN: Readonly<Record<string, JsonObject>> = {
  "mine t_working": WORKING,
  "mine t_asks": { ...WORKING, status: "input_required", inputRequests },
  "mine t_done": { ...WORKING, status: "completed", result: { structuredContent: [1, 2] } },
  "mine t_broken": { ...WORKING, status: "failed", error: { code: -32603, message: "boom" } },
  "other t_foreign": WORKING,
};
const heard: unknown[] = [];
const NOT_NOW: Answer = { ok: false, error: { code: -32603, message: "not now" } };
const tasks: Tasks = {
  get: async ({ name }, id) => found(name, id, (result) => ({ ok: true, result })),
  update: async ({ name }, id, answers) => found(name, id, () => noted({ update: id, answers })),
  cancel: async ({ name }, id) => found(name, id, () => (id === "t_done" ? NOT_NOW : noted({ cancel: id }))),
};

function noted(what: JsonObject): Answer {
  heard.push(what);
  return { ok: true, result: {} };
}

function found(session: string, id: string, answer: (task: JsonObject) => Answer): Answer | undefined {
  const task = KNOWN[`${session} ${id}`];
  return task && answer(task);
}

let served: Served;
beforeAll(() => {
  served = serve({ ...createFixtureBackend(), tasks });
});
afterAll(() => served.close());

async function ask(method: string, taskId: unknown, more: JsonObject = {}, declared: JsonObject = TASKS) {
  const _meta = envelope({ "io.modelcontextprotocol/clientCapabilities": declared, "toolcrib/session": "mine" });
  const headers = { ...modernHeaders(String(taskId)), "mcp-method": method };
  const response = await served.post({ jsonrpc: "2.0", id: 1, method, params: { taskId, ...more, _meta } }, headers);
  return { status: response.status, ...(await onlyMessage(response)) } as { status: number; result?: JsonObject; error?: JsonObject };
}

async function capabilities(of: Served) {
  const headers = { ...modernHeaders(""), "mcp-method": "server/discover", "mcp-name": undefined };
  const message = await onlyMessage(
    await of.post({ jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta: envelope() } }, headers),
  );
  return (message["result"] as { readonly capabilities: JsonObject }).capabilities;
}

test("they are advertised where there are any", async () => {
  expect(await capabilities(served)).toMatchObject({ extensions: { [EXTENSION]: {} } });
  const without = serve(createFixtureBackend());
  expect(await capabilities(without)).not.toHaveProperty("extensions");
  await without.close();
});

describe("tasks/get", () => {
  test("shows a task as it is, in a complete answer", async () => {
    expect((await ask("tasks/get", "t_working")).result).toMatchObject({ ...WORKING, resultType: "complete" });
    expect((await ask("tasks/get", "t_asks")).result).toMatchObject({ status: "input_required", inputRequests, resultType: "complete" });
    expect((await ask("tasks/get", "t_broken")).result).toMatchObject({ status: "failed", error: { code: -32603, message: "boom" } });
  });

  test("has the result inside, complete in itself", async () => {
    expect((await ask("tasks/get", "t_done")).result).toMatchObject({
      resultType: "complete",
      status: "completed",
      result: { resultType: "complete", structuredContent: [1, 2], content: [{ type: "text", text: "[1,2]" }] },
    });
  });
});

test("answers and wishes reach the task", async () => {
  heard.length = 0;
  const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };
  expect((await ask("tasks/update", "t_asks", { inputResponses })).result).toMatchObject({ resultType: "complete" });
  expect((await ask("tasks/cancel", "t_working")).result).toMatchObject({ resultType: "complete" });
  expect(heard).toEqual([{ update: "t_asks", answers: inputResponses }, { cancel: "t_working" }]);
  expect((await ask("tasks/cancel", "t_done")).error).toEqual({ code: -32603, message: "not now" });
});

test("an answer with a number that would be altered is refused, and so is one without end", async () => {
  heard.length = 0;
  const content = { value: 2 ** 53 + 2 };
  const [numbers, many] = [{ name: { action: "accept", content } }, { name: { action: "accept", content: Array(200_000).fill(0) } }];
  for (const inputResponses of [numbers, many]) {
    expect((await ask("tasks/update", "t_asks", { inputResponses })).error).toMatchObject({ code: -32602 });
  }
  expect(heard).toEqual([]);
});

describe.each(["tasks/get", "tasks/update", "tasks/cancel"])("%s", (method) => {
  test("is for those who declare the extension with this very request", async () => {
    expect(await ask(method, "t_working", {}, {})).toMatchObject({
      status: 400,
      error: { code: -32021, data: { requiredCapabilities: TASKS } },
    });
  });

  test("knows no difference between a foreign task and none", async () => {
    const [foreign, none] = [await ask(method, "t_foreign"), await ask(method, "t_none")];
    expect(foreign).toMatchObject({ status: 200, error: { code: -32602 } });
    expect(foreign.error).toEqual(none.error);
  });

  test("wants an id that is a text, and the header that repeats it", async () => {
    expect((await ask(method, 7)).error).toMatchObject({ code: -32602 });
    const params = { taskId: "t_working", _meta: envelope({ "io.modelcontextprotocol/clientCapabilities": TASKS }) };
    const headers = { ...modernHeaders("t_done"), "mcp-method": method };
    const response = await served.post({ jsonrpc: "2.0", id: 1, method, params }, headers);
    expect(response.status).toBe(400);
    expect(await onlyMessage(response)).toMatchObject({ error: { code: -32020 } });
  });

  test("does not exist in the legacy era", async () => {
    const message = { ...call(1, ""), method, params: { taskId: "t_working" } };
    expect(await onlyMessage(await served.post(message, await initialize(served)))).toMatchObject({ error: { code: -32601 } });
  });
});
