/** What becomes of a call, and of a task, when what they need cannot be kept: nobody waits for ever, and nothing is claimed that is not known. */
import { expect, test } from "bun:test";
import type { TaskReport } from "../../src/mcp/downstream/downstream.ts";
import { openSealedStore } from "../../src/secrets/sealed.ts";
import { asks, MAILBOX, mailPlace, modernServer } from "./fixture.ts";

/** A store that is full, while a test says so. */
function fullStore() {
  const store = openSealedStore(":memory:", new Uint8Array(32).fill(1), Date.now);
  const state = { isFull: true };
  const put: typeof store.put = (kind, name, value) => {
    if (state.isFull) throw new Error("database or disk is full");
    store.put(kind, name, value);
  };
  return { state, sealed: { ...store, put } };
}
const errorOf = ({ structuredContent }: { structuredContent?: { error?: unknown } }) => structuredContent?.error;
const begins = { kind: "task", task: { taskId: "remote-1", era: "modern", pollIntervalMs: 1000 } } as const;

test("a question that cannot be kept ends its call, which has done nothing", async () => {
  const { sealed } = fullStore();
  const { place, interrupted } = await mailPlace({}, { sealed });
  expect(errorOf(await interrupted(asks({ which: MAILBOX })))).toMatchObject({ code: "internal", certainty: "not_applied" });
  expect([place.views.openQuestions(), place.views.doubts("ada"), place.openCalls.size]).toEqual([0, [], 0]);
});

test("a task that cannot be kept leaves its call in doubt", async () => {
  const { sealed } = fullStore();
  const { place, interrupted } = await mailPlace({}, { sealed, rules: { tasks: true } });
  expect(errorOf(await interrupted(begins as never))).toMatchObject({ code: "internal", certainty: "in_doubt" });
  expect([place.views.doubts("ada").length, place.openCalls.size]).toEqual([1, 0]);
});

test("a task that asks is asked for again when its question could be put to nobody", async () => {
  const { state, sealed } = fullStore();
  state.isFull = false;
  const report: TaskReport = { kind: "input_required", requests: { which: MAILBOX } };
  const done = async () => ({ kind: "result" as const, result: {} });
  const mail = modernServer(["send"], { tasks: { report: async () => report, answer: done, cancel: done } });
  const { place, interrupted } = await mailPlace({}, { sealed, rules: { tasks: true } }, mail);
  await interrupted(begins as never);
  state.isFull = true;
  await place.clock.advance(3000);
  expect(place.views.openQuestions()).toBe(0);
  state.isFull = false;
  await place.clock.advance(3000);
  await place.settle();
  expect(place.views.openQuestions()).toBe(1);
});

test("a task that begins after its call was cancelled is told to stop", async () => {
  const cancelled: string[] = [];
  const done = async () => ({ kind: "result" as const, result: {} });
  const cancel = async ({ taskId }: { taskId: string }) => {
    cancelled.push(taskId);
    return done();
  };
  const mail = modernServer(["send"], { tasks: { report: async () => ({ kind: "working" }), answer: done, cancel } });
  const { place, ada } = await mailPlace({}, { rules: { tasks: true } }, mail);
  const left = new AbortController();
  const call = ada.call("mail__send", {}, { signal: left.signal });
  await place.settle();
  left.abort("cancelled");
  mail.calls[0]?.answer(begins as never);
  await call;
  await place.settle();
  await place.settle();
  expect([cancelled, place.failures]).toEqual([["remote-1"], []]);
});
