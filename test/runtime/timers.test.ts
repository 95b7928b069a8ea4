/** Wake-up calls: one real timer for the earliest, whatever comes before it or after. */
import { expect, test } from "bun:test";
import { createTimers } from "../../src/runtime/timers.ts";
import { fakeClock } from "../fake-clock.ts";

test("rings in order, each once", async () => {
  const clock = fakeClock(0);
  const rung: string[] = [];
  const timers = createTimers(clock, ({ key }) => rung.push(`${key} at ${clock.now()}`));
  timers.set({ address: "server/mail", key: "late", at: 300 });
  timers.set({ address: "server/mail", key: "early", at: 100 });
  await clock.advance(1000);
  expect(rung).toEqual(["early at 100", "late at 300"]);
});

test("a timer set again rings at its new time only", async () => {
  const clock = fakeClock(0);
  const rung: number[] = [];
  const timers = createTimers(clock, () => rung.push(clock.now()));
  timers.set({ address: "a", key: "k", at: 100 });
  timers.set({ address: "a", key: "k", at: 200 });
  await clock.advance(1000);
  expect(rung).toEqual([200]);
});

test("one that is overdue at the start rings at once, one of next year waits", async () => {
  const clock = fakeClock(1000);
  const rung: string[] = [];
  const timers = createTimers(clock, ({ key }) => rung.push(key));
  timers.set({ address: "a", key: "overdue", at: 1 });
  timers.set({ address: "a", key: "far", at: 1000 + 400 * 86_400_000 });
  await clock.advance(0);
  expect(rung).toEqual(["overdue"]);
  timers.stop();
});
