/** The official requester of tasks against the edge: what it calls, follows, answers and calls off. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import { type ConformanceEdge, serveConformanceEdge } from "../../conformance/edge.ts";
import { connectRequester, type Requester } from "./requester.ts";

let edge: ConformanceEdge;
let requester: Requester;

beforeAll(async () => {
  edge = serveConformanceEdge();
  requester = await connectRequester(edge.url);
});
afterAll(async () => {
  await requester.close();
  await edge.close();
});

test("a call that stays one is answered at once", async () => {
  const execution = await requester.session.callTool("greet", { name: "Ada" });
  expect(execution.kind).toBe("immediate");
  expect(resultFromTaskOutcome(await execution.result())).toMatchObject({ content: [{ text: "Hello, Ada!" }] });
});

test("a call that goes on is followed to its result", async () => {
  const execution = await requester.session.callTool("slow_compute", { seconds: 0.3, label: "sums" });
  expect(execution.kind).toBe("task");
  const { outcome, lastTask } = await execution.settle();
  expect(lastTask).toMatchObject({ status: "completed", suggestedPollIntervalMs: 100, retentionMs: 60_000 });
  expect(resultFromTaskOutcome(outcome)).toMatchObject({ content: [{ text: "Computed sums" }] });
});

test("what a task asks is answered while it goes on", async () => {
  requester.asked.length = 0;
  const execution = await requester.session.callTool("multi_input");
  const result = resultFromTaskOutcome((await execution.settle()).outcome);
  expect(result.content).toMatchObject([{ text: expect.stringMatching(/Ada.*Ada/) }]);
  expect(requester.asked).toEqual(["task-update", "task-update"]);
});

test("what is asked before there is a task is answered first", async () => {
  requester.asked.length = 0;
  const execution = await requester.session.callTool("test_tool_with_task");
  expect(execution.kind).toBe("task");
  expect(resultFromTaskOutcome((await execution.settle()).outcome)).toMatchObject({ content: [{ text: "Done for Ada" }] });
  expect(requester.asked).toEqual(["request-retry"]);
});

test("a tool that failed has completed, a call that broke has failed", async () => {
  const failing = await (await requester.session.callTool("failing_job")).settle();
  expect(failing.outcome).toMatchObject({ status: "completed", result: { isError: true } });
  const broken = await (await requester.session.callTool("protocol_error_job")).settle();
  expect(broken.outcome).toMatchObject({ status: "failed", error: { code: -32603, message: "It broke" } });
});

test("a task is called off", async () => {
  const execution = await requester.session.callTool("slow_compute", { seconds: 60 });
  await execution.cancel();
  expect((await execution.settle()).outcome).toMatchObject({ status: "cancelled" });
});

test("a task is found again by its reference alone", async () => {
  const before = await connectRequester(edge.url);
  const execution = await before.session.callTool("slow_compute", { seconds: 0.3, label: "later" });
  if (execution.kind !== "task") throw new Error("no task");
  const reference = execution.serializeReference();
  await execution.detach();
  await execution.result().catch(() => undefined); // it has let go: what it still holds, it calls off when it closes
  await before.close();
  const resumed = await requester.session.resumeTask(reference);
  expect(resultFromTaskOutcome((await resumed.settle()).outcome)).toMatchObject({ content: [{ text: "Computed later" }] });
});
