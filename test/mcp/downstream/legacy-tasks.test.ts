/** Tasks of servers of protocol 2025-11-25. */
import { afterEach, describe, expect, test } from "bun:test";
import type { InBandQuestion, TaskReport } from "../../../src/mcp/downstream/downstream.ts";
import { accept, olderOverHttp, olderOverStdio, stopAll } from "./asking-support.ts";
import { open, textOf } from "./support.ts";
import { background, FOLLOWS, start, startedIn, tasksOf } from "./task-support.ts";

afterEach(stopAll);

/** Asks until there is something to say. */
async function untilEnded(report: () => Promise<TaskReport>): Promise<TaskReport> {
  for (;;) {
    const now = await report();
    if (now.kind !== "working") return now;
    await Bun.sleep(5);
  }
}

describe.each([
  ["HTTP", olderOverHttp],
  ["stdio", olderOverStdio],
] as const)("a server over %s", (_, serve) => {
  test("is asked to make a task of a call, and gives its outcome later", async () => {
    const { target, executed } = serve();
    const { downstream } = await open(target, FOLLOWS);
    const { task, report } = await start(downstream, "slow", { key: "a" });
    expect(task).toEqual({ taskId: expect.stringMatching(/^[0-9a-f]{32}$/), era: "legacy", pollIntervalMs: 20 });
    expect(await report()).toEqual({ kind: "working", pollIntervalMs: 20 });
    await downstream.call({ tool: "release", arguments: { key: "a" } });
    const ended: TaskReport = { kind: "ended", outcome: { kind: "result", result: { content: [{ type: "text", text: "slow a" }] } } };
    expect(await untilEnded(report)).toEqual(ended);
    expect(await report()).toEqual(ended);
    expect(executed()).toEqual(["slow a"]);
  });

  test("asks in a task on the request for its outcome", async () => {
    const asked: InBandQuestion[] = [];
    const { target, executed } = serve();
    const { downstream } = await open(target, FOLLOWS, async (question) => {
      asked.push(question);
      return accept({ name: "Ann" });
    });
    const { task, report } = await start(downstream, "survey");
    expect(await untilEnded(report)).toMatchObject({ kind: "ended", outcome: { kind: "result" } });
    expect(asked.map(({ request, taskId }) => [request.params["message"], taskId])).toEqual([["Who is it?", task.taskId]]);
    expect(asked[0]?.request.params).not.toHaveProperty("_meta");
    expect(executed()).toEqual(['survey accept {"name":"Ann"}']);
  });

  test("gives the failure of a tool as its result", async () => {
    const { downstream } = await open(serve().target, FOLLOWS);
    const { report } = await start(downstream, "failing");
    expect(await untilEnded(report)).toMatchObject({ kind: "ended", outcome: { kind: "result", result: { isError: true } } });
  });

  test("is told to stop", async () => {
    const { downstream } = await open(serve().target, FOLLOWS);
    const { report, cancel } = await start(downstream, "endless");
    expect(await cancel()).toMatchObject({ kind: "result" });
    expect(await report()).toEqual({ kind: "cancelled" });
    expect(await cancel()).toMatchObject({ kind: "rpc_error" });
  });

  test("does not know what it never had, and is not answered by another way than its own", async () => {
    const { downstream } = await open(serve().target, FOLLOWS);
    const task = { taskId: "never", era: "legacy" as const };
    expect(await tasksOf(downstream).report(task)).toEqual({ kind: "unknown" });
    expect(await tasksOf(downstream).answer(task, {})).toMatchObject({ kind: "not_sent" });
  });

  test("answers at once where it can when the caller follows no tasks, and says what it needs where it cannot", async () => {
    const { downstream } = await open(serve().target, FOLLOWS);
    expect(textOf(await downstream.call({ tool: "quick", arguments: { value: 1 } }))).toBe("quick 1");
    expect(textOf(await downstream.call({ tool: "slow", arguments: {} }))).toContain("only runs as a task");
    expect(startedIn(await downstream.call(background("quick", { value: 2 })))).toMatchObject({ era: "legacy" });
    expect(textOf(await downstream.call(background("plain", { value: 3 })))).toBe("plain 3");
    const plain = await open(serve().target, { elicitation: true });
    expect(plain.downstream.tasks).toBeUndefined();
    expect(textOf(await plain.downstream.call(background("quick", { value: 4 })))).toBe("quick 4");
  });
});

test("a server that was started again knows none of its tasks", async () => {
  const { target } = olderOverStdio();
  const first = await open(target, FOLLOWS);
  const { task } = await start(first.downstream, "endless");
  await first.downstream.close();
  const { downstream } = await open(target, FOLLOWS);
  expect(await tasksOf(downstream).report(task)).toEqual({ kind: "unknown" });
});
