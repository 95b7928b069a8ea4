import { expect, test } from "bun:test";
import { createBreaker } from "../../src/effects/breaker.ts";
import { fakeClock } from "../fake-clock.ts";

const fail = (breaker: ReturnType<typeof createBreaker>, times: number) => {
  for (let time = 0; time < times; time++) if (breaker.mayAsk("h")) breaker.failed("h");
};

test("five failures in a minute trip it; after a minute one may try", async () => {
  const clock = fakeClock();
  const breaker = createBreaker(clock);
  fail(breaker, 4);
  expect(breaker.mayAsk("h")).toBe(true);
  breaker.succeeded("h"); // between failures it changes nothing
  expect(breaker.mayAsk("h")).toBe(true);
  breaker.failed("h");
  expect(breaker.mayAsk("h")).toBe(false);
  expect(breaker.mayAsk("other")).toBe(true);
  await clock.advance(60_000);
  expect(breaker.mayAsk("h")).toBe(true);
  expect(breaker.mayAsk("h")).toBe(false); // somebody tries
  breaker.failed("h");
  await clock.advance(59_999);
  expect(breaker.mayAsk("h")).toBe(false);
  await clock.advance(1);
  expect(breaker.mayAsk("h")).toBe(true);
  breaker.succeeded("h");
  fail(breaker, 4);
  expect(breaker.mayAsk("h")).toBe(true);
});

test("failures that are spread over more than a minute do not trip it", async () => {
  const clock = fakeClock();
  const breaker = createBreaker(clock);
  for (let time = 0; time < 20; time++) {
    expect(breaker.mayAsk("h")).toBe(true);
    breaker.failed("h");
    await clock.advance(15_000);
  }
});

test("a try that nobody waited for leaves the next one to try", async () => {
  const clock = fakeClock();
  const breaker = createBreaker(clock);
  fail(breaker, 5);
  await clock.advance(60_000);
  expect(breaker.mayAsk("h")).toBe(true);
  breaker.left("h");
  expect(breaker.mayAsk("h")).toBe(true);
});
