import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createRequestRate } from "../../src/doors/request-rate.ts";

function rateAt() {
  let now = 1_000_000;
  const rate = createRequestRate(() => now);
  const pass = (ms: number) => {
    now += ms;
  };
  return { ask: (perMinute: number, who = "ada") => rate(who, perMinute), pass };
}

describe("requests of one token", () => {
  test("come in five at once, then as the minute gives them", () => {
    const { ask, pass } = rateAt();
    for (let request = 0; request < 5; request++) expect(ask(20)).toBeUndefined();
    expect(ask(20)).toBe(3000);
    pass(2999);
    expect(ask(20)).toBe(1);
    pass(1);
    expect(ask(20)).toBeUndefined();
    expect(ask(20)).toBe(3000);
  });

  test("are counted for each token", () => {
    const { ask } = rateAt();
    for (let request = 0; request < 6; request++) ask(1);
    expect(ask(1)).toBe(60_000);
    expect(ask(1, "grace")).toBeUndefined();
  });

  test.each([0, -1])("are not counted at %d", (perMinute) => {
    const { ask } = rateAt();
    for (let request = 0; request < 100; request++) expect(ask(perMinute)).toBeUndefined();
  });

  test("a silence saves up no more than five", () => {
    const { ask, pass } = rateAt();
    pass(86_400_000);
    const admitted = Array.from({ length: 10 }, () => ask(60)).filter((wait) => wait === undefined);
    expect(admitted).toHaveLength(5);
  });

  test("whatever comes when: never more than the minute and the burst give; who waits as told is let in", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 80 }), (perMinute, gaps) => {
        const { ask, pass } = rateAt();
        let passed = 0;
        let since = 0;
        for (const gap of gaps) {
          pass(gap);
          since += gap;
          const wait = ask(perMinute);
          if (wait === undefined) passed++;
          else {
            pass(wait);
            since += wait;
            expect(ask(perMinute)).toBeUndefined();
            passed++;
          }
          expect(passed).toBeLessThanOrEqual(5 + (since * perMinute) / 60_000 + 1e-6);
        }
      }),
    );
  });
});
