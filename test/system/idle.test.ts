/** When a daemon counts as unused. */
import { expect, test } from "bun:test";
import { watchIdle } from "../../src/system/idle.ts";
import { fakeClock } from "../fake-clock.ts";

function watched() {
  const clock = fakeClock();
  const pulse = { open: 0, served: 0 };
  let ended = 0;
  const stop = watchIdle(
    () => ({ ...pulse }),
    60_000,
    () => ended++,
    clock,
  );
  return { clock, pulse, stop, ended: () => ended };
}

test("nothing open and nothing asked for the whole time ends it, once", async () => {
  const { clock, ended } = watched();
  await clock.advance(59_000);
  expect(ended()).toBe(0);
  await clock.advance(1_000);
  expect(ended()).toBe(1);
  await clock.advance(600_000);
  expect(ended()).toBe(1);
});

test("an open stream or call keeps it, and the time counts from its end", async () => {
  const { clock, pulse, ended } = watched();
  pulse.open = 1;
  await clock.advance(600_000);
  pulse.open = 0;
  await clock.advance(54_000);
  expect(ended()).toBe(0);
  await clock.advance(6_000);
  expect(ended()).toBe(1);
});

test("a request that came and went between two looks counts", async () => {
  const { clock, pulse, ended } = watched();
  await clock.advance(50_000);
  pulse.served++;
  await clock.advance(50_000);
  expect(ended()).toBe(0);
});

test("it can be stopped", async () => {
  const { clock, stop, ended } = watched();
  stop();
  await clock.advance(600_000);
  expect(ended()).toBe(0);
});
