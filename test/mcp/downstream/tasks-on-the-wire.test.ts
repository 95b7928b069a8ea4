/** Tasks of modern servers as they stand on the wire: headers, handles that cannot be used, a server that is gone. */
import { afterEach, expect, test } from "bun:test";
import { taskServer } from "../../fixtures/servers/task-server.ts";
import { running, stopAll } from "./asking-support.ts";
import { fixture, http, open } from "./support.ts";
import { background, FOLLOWS, start, startedIn } from "./task-support.ts";

afterEach(stopAll);

test("over HTTP, requests about a task carry its id in a header", async () => {
  const server = running(taskServer());
  const { downstream } = await open(http(server.url), FOLLOWS);
  const { task, report, answer, cancel } = await start(downstream, "endless");
  await report();
  await answer({});
  await cancel();
  const named = server.seen.flatMap((headers) => (headers["mcp-method"]?.startsWith("tasks/") ? [headers] : []));
  expect(named.map((headers) => [headers["mcp-method"], headers["mcp-name"]])).toEqual(
    ["tasks/get", "tasks/update", "tasks/cancel"].map((method) => [method, task.taskId]),
  );
});

test.each([
  ["no id", {}],
  ["an empty id", { taskId: "" }],
  ["an id that is no text", { taskId: 7 }],
])("a handle that cannot be used is an error that says so: %s", async (_, handle) => {
  const { downstream } = await open(fixture({ FIXTURE_ERA: "modern" }), FOLLOWS);
  const reply = await downstream.call(background("reply", { result: { resultType: "task", status: "working", ...handle } }));
  expect(reply).toMatchObject({ kind: "rpc_error", code: -32603, message: expect.stringContaining("started a task without an id") });
});

test.each([-1, Number.NaN, "soon", null])("an interval that is none is no hint (%p)", async (pollIntervalMs) => {
  const { downstream } = await open(fixture({ FIXTURE_ERA: "modern" }), FOLLOWS);
  const reply = await downstream.call(background("reply", { result: { resultType: "task", taskId: "t", pollIntervalMs } }));
  expect(startedIn(reply)).toEqual({ taskId: "t", era: "modern" });
});

test("nothing is learnt while the server cannot be reached, and nothing is said to be unknown", async () => {
  const server = running(taskServer());
  const { downstream } = await open(http(server.url), FOLLOWS);
  const { report, cancel } = await start(downstream, "endless");
  await server.stop();
  expect(await report()).toEqual({ kind: "failed", reason: "connection refused" });
  expect(await cancel()).toMatchObject({ kind: "not_sent" });
});
