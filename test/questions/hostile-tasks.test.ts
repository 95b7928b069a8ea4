import { expect, test } from "bun:test";
import { DEFAULT_ELICITATION } from "../../actors/catalogue.ts";
import type { TaskReport, TaskRequests } from "../../src/mcp/downstream/downstream.ts";
import { openSealedStore } from "../../src/secrets/sealed.ts";
import { harness, text } from "../harness.ts";
import { MAILBOX, modernServer } from "./fixture.ts";
import { expectNothingHeld } from "./held.ts";

const UNBOUND = { perSession: 100, total: 100, timeoutMs: 3_600_000, pollMinMs: 500, pollMaxMs: 30_000, pollFailures: 10 };
const never = new Promise<never>(() => undefined);

/** `hints`: of the tasks that it starts, one after the other. `requests`: what it makes of requests about them. */
async function running(hints: readonly (number | undefined)[], requests: Partial<TaskRequests> = {}, ids = (n: number) => `remote-${n}`) {
  const asked: { taskId: string; at: number }[] = [];
  const cancelled: string[] = [];
  const server = modernServer(["research"], {
    tasks: {
      report: async (task, signal) => {
        asked.push({ taskId: task.taskId, at: place.clock.now() });
        return requests.report?.(task, signal) ?? { kind: "working" };
      },
      answer: requests.answer ?? (async () => ({ kind: "result", result: {} })),
      cancel: async (task, signal) => {
        cancelled.push(task.taskId);
        return requests.cancel?.(task, signal) ?? { kind: "result", result: {} };
      },
    },
  });
  const sealed = openSealedStore(":memory:", new Uint8Array(32).fill(1), Date.now);
  const elicitation = { ...DEFAULT_ELICITATION, mode: "auto" as const };
  const policies = { lab: { tasks: true as const, elicitation } };
  const place = await harness({ servers: { lab: server }, policies, limits: { tasks: UNBOUND }, sealed });
  const ada = await place.session("s_1");
  /** In steps: what a poll leads to comes to rest before the next one. */
  const pass = async (ms: number, step = 500) => {
    for (let passed = 0; passed < ms; passed += step) {
      await place.clock.advance(Math.min(step, ms - passed));
      await place.settle();
    }
  };
  const started: string[] = [];
  for (const [n, pollIntervalMs] of hints.entries()) {
    const call = ada.call("lab__research", { n });
    await place.settle();
    const task = { taskId: ids(n), era: "modern", ...(pollIntervalMs !== undefined && { pollIntervalMs }) };
    server.calls.at(-1)?.answer({ kind: "task", task } as never);
    const { structuredContent = {} } = await call;
    started.push((structuredContent["task"] as { id: string }).id);
  }
  const status = async (id = started[0] ?? "") => JSON.stringify(await ada.call("call_status", { id }));
  return { place, pass, ada, asked, cancelled, started, status, sealed };
}

test("a task that never ends is expired at its deadline, with the limit's name, and its server is told to stop it", async () => {
  const { place, pass, cancelled, started, status, sealed } = await running([1000]);
  await pass(3_600_000 + 1000);
  expect(place.views.task(started[0] ?? "")?.status).toBe("expired");
  expect(cancelled).toEqual(["remote-0"]);
  expect(await status()).toContain("bridge.defaultTaskTimeoutMinutes");
  await place.settle();
  expectNothingHeld(place, sealed);
});

test("ten failures in a row lose it, with the limit's name; nine and a word do not", async () => {
  let failures = 9;
  const report = async (): Promise<TaskReport> => (failures-- > 0 ? { kind: "failed", reason: "garbage" } : { kind: "working" });
  const { place, pass, cancelled, started, status, sealed } = await running([500], { report });
  await pass(20_000);
  expect(place.views.task(started[0] ?? "")).toMatchObject({ status: "working", pollFailures: 0 });
  failures = 10;
  await pass(20_000);
  expect(place.views.task(started[0] ?? "")?.status).toBe("lost");
  expect(await status()).toContain("bridge.taskPollFailureLimit");
  expect(cancelled).toEqual(["remote-0"]);
  expectNothingHeld(place, sealed);
});

test("a server that answers nothing about its task loses it, too, and each request is given up", async () => {
  let given = 0;
  const report: TaskRequests["report"] = (_, signal) => {
    signal?.addEventListener("abort", () => given++);
    return never;
  };
  const { place, pass, started, sealed } = await running([500], { report });
  await pass(10 * 31_000);
  expect(place.views.task(started[0] ?? "")?.status).toBe("lost");
  expect(given).toBe(10);
  expectNothingHeld(place, sealed);
});

test("a task of a server that answers nothing any more can be stopped all the same", async () => {
  const { place, pass, ada, started, sealed } = await running([500], { report: () => never, cancel: () => never });
  await pass(1000);
  await ada.call("mcp_cancel_task", { task_id: started[0] ?? "" });
  await pass(5000);
  expect(place.views.task(started[0] ?? "")?.status).toBe("cancelled");
  expect(place.views.doubts("ada")).toHaveLength(1);
  await pass(30_000);
  expectNothingHeld(place, sealed);
});

test("two calls that were answered with the same task each get its outcome, and the end of one is not that of the other", async () => {
  const outcomes = [text("first"), text("second")];
  const report = async (): Promise<TaskReport> => {
    const outcome = outcomes.shift();
    return outcome && outcome.kind === "result" ? { kind: "ended", outcome } : { kind: "working" };
  };
  const { place, pass, started, status, sealed } = await running([500, 20_000], { report }, () => "same");
  await pass(2000);
  expect(started.map((id) => place.views.task(id)?.status)).toEqual(["completed", "working"]);
  await pass(20_000);
  expect(await status(started[0])).toContain("first");
  expect(await status(started[1])).toContain("second");
  expectNothingHeld(place, sealed);
});

test("after its end nothing that its server says of it counts", async () => {
  const { place, pass, asked, started, status } = await running([500], {
    report: async () => ({ kind: "ended", outcome: text("done") as never }),
  });
  await pass(60_000);
  expect(asked).toHaveLength(1);
  expect(place.views.task(started[0] ?? "")?.status).toBe("completed");
  expect(await status()).toContain("done");
});

test.each([
  ["0", 0, 500],
  ["a week", 604_800_000, 30_000],
  ["-1", -1, 500],
  ["none", undefined, 500],
  ["1e300", 1e300, 30_000],
  ["700.4", 700.4, 700],
] as const)("asked to wait %s between polls, we keep to our own bounds", async (_, hint, everyMs) => {
  const { pass, asked } = await running([hint], {
    report: async () => ({ kind: "working", ...(hint !== undefined && { pollIntervalMs: hint }) }),
  });
  await pass(everyMs * 10);
  const gaps = asked.slice(1).map(({ at }, n) => at - (asked[n]?.at ?? 0));
  expect(gaps.length).toBeGreaterThanOrEqual(8);
  expect(new Set(gaps)).toEqual(new Set([everyMs]));
});

test("polls of one server keep 50 ms between them, and who is asked for seldom holds up nobody", async () => {
  const { pass, asked } = await running([...Array.from({ length: 40 }, () => 30_000), 500]);
  await pass(120_000);
  const gaps = asked.slice(1).map(({ at }, n) => at - (asked[n]?.at ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(50);
  expect(asked.filter(({ taskId }) => taskId === "remote-40").length).toBeGreaterThan(150);
  for (let n = 0; n < 40; n++) expect(asked.filter(({ taskId }) => taskId === `remote-${n}`).length).toBeGreaterThanOrEqual(3);
});

test("more than 1,000 input keys end the task, with the limit's name, and its server is told to stop it", async () => {
  let next = 0;
  const report = async (): Promise<TaskReport> => ({
    kind: "input_required",
    requests: Object.fromEntries(Array.from({ length: 16 }, () => [`q${next++}`, MAILBOX])),
  });
  const { place, pass, cancelled, started, status, sealed } = await running([500], { report });
  await pass(64 * 500);
  expect(place.views.task(started[0] ?? "")?.status).toBe("failed");
  expect(next).toBe(63 * 16);
  expect(cancelled).toEqual(["remote-0"]);
  expect(await status()).toContain("task-input-keys");
  expectNothingHeld(place, sealed);
}, 60_000);

test.each([
  ["1,000 questions at a time", Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`q${n}`, MAILBOX])), "requests-per-round"],
  ["a key of 257 bytes", { ["k".repeat(257)]: MAILBOX }, "request-key"],
] as const)("a task that asks %s is stopped, with the limit's name", async (_, requests, limit) => {
  const { place, pass, cancelled, started, status, sealed } = await running([500], {
    report: async () => ({ kind: "input_required", requests }),
  });
  await pass(1000);
  expect(place.views.task(started[0] ?? "")?.status).toBe("failed");
  expect(cancelled).toEqual(["remote-0"]);
  expect(await status()).toContain(limit);
  expectNothingHeld(place, sealed);
});

test("a task whose answers never arrive is asked about no more than a bound, too", async () => {
  const report = async (): Promise<TaskReport> => ({ kind: "input_required", requests: { which: MAILBOX } });
  const { place, pass, started, status, sealed } = await running([500], {
    report,
    answer: async () => ({ kind: "not_sent", reason: "gone" }),
  });
  await pass(600_000);
  expect(place.views.task(started[0] ?? "")?.status).toBe("failed");
  expect(await status()).toContain("task-input-keys");
  expectNothingHeld(place, sealed);
}, 60_000);
