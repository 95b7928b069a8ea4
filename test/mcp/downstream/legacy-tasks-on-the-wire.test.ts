/** Tasks of servers of protocol 2025-11-25 as they stand on the wire: what is asked for, and answers that come late, broken or not at all. */
import { afterEach, expect, test } from "bun:test";
import { running, stopAll } from "./asking-support.ts";
import { http, open, until } from "./support.ts";
import { background, FOLLOWS, start } from "./task-support.ts";

afterEach(stopAll);

type Json = Readonly<Record<string, unknown>>;
type Answer = Json | "cut" | { readonly error: Json };

const TOOLS = [
  { name: "job", inputSchema: { type: "object" }, execution: { taskSupport: "optional" } },
  { name: "plain", inputSchema: { type: "object" }, execution: { taskSupport: "forbidden" } },
];
const GREETING = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
  serverInfo: { name: "by-hand", version: "0" },
};
const HANDLE = { task: { taskId: "t", status: "working", pollInterval: 10 } };
const DONE = { content: [{ type: "text", text: "done" }] };

/** Answers each request about tasks with what the script says next for its method; the last answer stays. */
function scripted(script: Readonly<Record<string, readonly Answer[]>>) {
  const seen: { method: string; params: Json }[] = [];
  const turns = new Map<string, number>();
  const answerTo = (method: string): Answer => {
    if (method === "initialize") return GREETING;
    if (method === "tools/list") return { tools: TOOLS };
    const turn = turns.get(method) ?? 0;
    turns.set(method, turn + 1);
    const answers = script[method] ?? [{ error: { code: -32601, message: "Method not found" } }];
    return answers[Math.min(turn, answers.length - 1)] ?? "cut";
  };
  const server = running({
    executed: () => [],
    fetch: async (request) => {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method, params } = (await request.json()) as { id?: unknown; method: string; params: Json };
      if (id === undefined) return new Response(null, { status: 202 });
      seen.push({ method, params });
      const answer = answerTo(method);
      if (answer === "cut") return new Response("event: message\n\n", { headers: { "content-type": "text/event-stream" } });
      return Response.json({ jsonrpc: "2.0", id, ...("error" in answer ? answer : { result: answer }) });
    },
  });
  const of = (wanted: string) => seen.filter(({ method }) => method === wanted);
  return { target: http(server.url), of };
}

test("a tool that can is asked to become a task for as long as the options say; others are called", async () => {
  const { target, of } = scripted({ "tools/call": [HANDLE, DONE, DONE] });
  const { downstream } = await open(target, { ...FOLLOWS, taskTtlMs: 1234 });
  expect(await downstream.call(background("job"))).toEqual({
    kind: "task",
    task: { taskId: "t", era: "legacy", pollIntervalMs: 10 },
  });
  await downstream.call(background("plain"));
  await downstream.call({ tool: "job", arguments: {} });
  expect(of("tools/call").map(({ params }) => params["task"])).toEqual([{ ttl: 1234 }, undefined, undefined]);
  expect(of("tools/list")).toHaveLength(1);
});

test("a server that answers at once although it was asked for a task has answered", async () => {
  const { target } = scripted({ "tools/call": [DONE] });
  const { downstream } = await open(target, FOLLOWS);
  expect(await downstream.call(background("job"))).toEqual({ kind: "result", result: DONE });
});

test("what looks like a handle is a result where no task was asked for", async () => {
  const { target } = scripted({ "tools/call": [{ ...DONE, ...HANDLE }] });
  const { downstream } = await open(target, FOLLOWS);
  expect(await downstream.call(background("plain"))).toMatchObject({ kind: "result" });
});

test("an outcome that is cut off on the way is asked for again", async () => {
  const { target } = scripted({ "tools/call": [HANDLE], "tasks/get": [{ status: "completed" }], "tasks/result": ["cut", DONE] });
  const { downstream } = await open(target, FOLLOWS);
  const { report } = await start(downstream, "job");
  expect(await report()).toEqual({ kind: "failed", reason: "the server closed the stream before it answered" });
  expect(await report()).toEqual({ kind: "ended", outcome: { kind: "result", result: DONE } });
});

test("a refusal to be asked for the outcome early is not the outcome", async () => {
  const { target, of } = scripted({
    "tools/call": [HANDLE],
    "tasks/get": [{ status: "input_required" }, { status: "completed" }],
    "tasks/result": [{ error: { code: -32603, message: "not yet" } }, DONE],
  });
  const { downstream } = await open(target, FOLLOWS);
  const { report } = await start(downstream, "job");
  expect(await report()).toEqual({ kind: "working" });
  await until(() => of("tasks/result").length === 1);
  expect(await report()).toEqual({ kind: "ended", outcome: { kind: "result", result: DONE } });
});

test("what the request for the outcome ended with is the outcome once the task has ended, without the server's name for it", async () => {
  const named = { ...DONE, _meta: { "io.modelcontextprotocol/related-task": { taskId: "t" }, own: 1 } };
  const { target, of } = scripted({
    "tools/call": [HANDLE],
    "tasks/get": [{ status: "input_required" }, { status: "input_required" }, { status: "completed" }],
    "tasks/result": [named],
  });
  const { downstream } = await open(target, FOLLOWS);
  const { report } = await start(downstream, "job");
  for (let i = 0; i < 2; i++) expect(await report()).toEqual({ kind: "working" });
  expect(await report()).toEqual({ kind: "ended", outcome: { kind: "result", result: { ...DONE, _meta: { own: 1 } } } });
  expect(of("tasks/result")).toHaveLength(1);
});

test("a task that failed ends with what the server gives for it", async () => {
  const error = { code: -32603, message: "out of paper" };
  const { target } = scripted({ "tools/call": [HANDLE], "tasks/get": [{ status: "failed" }], "tasks/result": [{ error }] });
  const { downstream } = await open(target, FOLLOWS);
  const { report } = await start(downstream, "job");
  expect(await report()).toEqual({ kind: "ended", outcome: { kind: "rpc_error", ...error } });
});

test.each([
  [{ status: "dreaming" }, "a status that is not known"],
  [{ error: { code: -32000, message: "busy" } }, "busy"],
  ["cut" as const, "closed the stream"],
])("nothing is learnt from %j", async (answer, reason) => {
  const { target } = scripted({ "tools/call": [HANDLE], "tasks/get": [answer] });
  const { downstream } = await open(target, FOLLOWS);
  const { report } = await start(downstream, "job");
  expect(await report()).toEqual({ kind: "failed", reason: expect.stringContaining(reason) });
});
