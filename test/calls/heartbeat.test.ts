/** Progress towards a client: always rising, never silent for long, and nothing after the answer. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { relayProgress, withHeartbeats } from "../../src/calls/heartbeat.ts";
import type { CallEnd, Progress } from "../../src/calls/open-calls.ts";
import { fakeClock } from "../fake-clock.ts";

function relay(heartbeatMs = 10_000) {
  const clock = fakeClock();
  const sent: Progress[] = [];
  const made = relayProgress((progress) => sent.push(progress), { clock, heartbeatMs: () => heartbeatMs });
  return { ...made, clock, sent };
}

test("a server's progress goes on as it is", () => {
  const { report, sent } = relay();
  const steps = [
    { progress: 0, total: 3, message: "begun" },
    { progress: 1, total: 3 },
    { progress: 1.5, message: "half" },
    { progress: 3, total: 3 },
  ];
  for (const step of steps) report(step);
  expect(sent).toEqual(steps);
});

test("while nothing comes, every ten seconds a sign of life with a rising number and no total", async () => {
  const { sent, clock, stop } = relay();
  await clock.advance(9999);
  expect(sent).toEqual([]);
  await clock.advance(290_001);
  expect(sent).toHaveLength(30);
  for (const [index, { progress, ...rest }] of sent.entries()) {
    expect(rest).toEqual({});
    expect(progress).toBeGreaterThan(sent[index - 1]?.progress ?? -1);
  }
  stop();
  await clock.advance(60_000);
  expect(sent).toHaveLength(30);
});

test("signs of life between a server's numbers do not disturb their order, nor change them to the eye", async () => {
  const { report, sent, clock } = relay();
  report({ progress: 50, total: 100 });
  await clock.advance(25_000);
  report({ progress: 51, total: 100 });
  expect(sent.map(({ progress }) => Math.round(progress * 1000) / 1000)).toEqual([50, 50, 50, 51]);
  expect(sent.map(({ total }) => total)).toEqual([100, undefined, undefined, 100]);
});

test("a sign of life comes ten seconds after the last word of the server", async () => {
  const { report, sent, clock } = relay();
  await clock.advance(9000);
  report({ progress: 1 });
  await clock.advance(9999);
  expect(sent).toHaveLength(1);
  await clock.advance(1);
  expect(sent).toHaveLength(2);
});

test("whatever a server reports and whenever, the numbers that go on rise and are numbers", async () => {
  const step = fc.record({ wait: fc.constantFrom(0, 50, 10_000, 25_000), progress: fc.double() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { report, sent, clock } = relay();
      for (const { wait, progress } of steps) {
        await clock.advance(wait);
        report({ progress });
      }
      for (const [index, { progress }] of sent.entries()) {
        expect(Number.isFinite(progress)).toBe(true);
        if (index > 0) expect(progress).toBeGreaterThan(sent[index - 1]?.progress ?? Number.NaN);
      }
    }),
    { numRuns: 200 },
  );
});

describe("a call", () => {
  const end: CallEnd = { call: "c_1", certainty: "answered", notices: [] };
  const question = { caller: { session: "s_1", agent: "ada", profile: "default" }, name: "x", arguments: {} };

  test("without a progress token has no signs of life", async () => {
    const clock = fakeClock();
    let asked: unknown;
    const ask = withHeartbeats(
      async (given) => {
        asked = given;
        return end;
      },
      { clock, heartbeatMs: () => 1 },
    );
    expect(await ask(question)).toBe(end);
    expect(asked).toBe(question);
  });

  test("has none after its end, whatever the server still says", async () => {
    const clock = fakeClock();
    const sent: Progress[] = [];
    let late: (progress: Progress) => void = () => undefined;
    const ask = withHeartbeats(
      async ({ onProgress }) => {
        late = onProgress ?? late;
        late({ progress: 1 });
        return end;
      },
      { clock, heartbeatMs: () => 1000 },
    );
    expect(await ask({ ...question, onProgress: (progress) => sent.push(progress) })).toBe(end);
    late({ progress: 2 });
    await clock.advance(60_000);
    expect(sent).toEqual([{ progress: 1 }]);
  });
});
