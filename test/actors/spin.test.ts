import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { NOW } from "../given.ts";
import { askOf, limited, sessionUnder } from "./limit-fixture.ts";

const SPIN = { repetition: 3, window: 6 };
const guarded = () => sessionUnder(limited({ spin: SPIN }));
/** `A` is a call, `A1` one that comes to another result than `A2`; a small letter runs on. Tells which are let through. */
function passes(calls: string, everyMs = 1000): string {
  const session = guarded();
  return calls
    .split(" ")
    .map((call, index) => {
      const digest = call.slice(0, 1).toUpperCase();
      const runsOn = call.slice(0, 1) !== digest;
      return session.ask(NOW + index * everyMs, digest, runsOn ? undefined : `r${call.slice(1)}`) ? "+" : "-";
    })
    .join("");
}

describe("calls that go round in circles", () => {
  test.each([
    ["the third identical call is stopped, and the ones after it", "A A A A", "++--"],
    ["a new call resets", "A A B A A A", "+++++-"],
    ["another result is progress", "A1 A2 A3 A4 A5", "+++++"],
    ["the same result again is none", "A1 A2 A2 A2", "+++-"],
    ["what still runs counts as the same", "a a a a", "++--"],
    ["two in turn are stopped by the window", "A B A B A B A B A", "+++++++--"],
    ["three in turn are stopped by the window", "A B C A B C A B C", "++++++++-"],
    ["something new starts the window anew", "A B A B A B C A B A B A B", "++++++++++++-"],
    ["two in turn with results that change are not stopped", "A1 B1 A2 B2 A3 B3 A4 B4 A5 B5", "++++++++++"],
    ["a small circle is stopped before the window is full", "A A B B A A A", "++++++-"],
  ])("%s", (_, calls, expected) => expect(passes(calls)).toBe(expected));

  test("are forgotten after two minutes of silence, not before", () => {
    expect(passes("A A A", 120_000)).toBe("++-");
    expect(passes("A A A", 120_001)).toBe("+++");
  });

  test.each(["approval_pending", "rate_limited", "overloaded", "not_connected"] as const)("do not count when they ended in %s", (code) => {
    const session = guarded();
    for (const call of ["c_1", "c_2", "c_3", "c_4"]) {
      expect(session.step(NOW, askOf(call))).toMatchObject([{ type: "call.requested" }]);
      session.step(NOW, { type: "settle", call, certainty: "not_applied", code });
    }
  });

  test("an error of ours that comes back is a result like any other", () => {
    const session = guarded();
    for (const call of ["c_1", "c_2"]) {
      session.step(NOW, askOf(call));
      session.step(NOW, { type: "settle", call, certainty: "not_applied", code: "timeout" });
    }
    expect(session.step(NOW, askOf("c_3"))).toMatchObject([{ type: "call.refused", data: { code: "refused", rule: "spin.repetition:3" } }]);
  });

  test("tell the agent what to do instead, and the operator the rule", () => {
    const session = guarded();
    for (const call of ["c_1", "c_2"]) session.step(NOW, askOf(call));
    const [refused] = session.step(NOW, askOf("c_3"));
    expect(refused).toMatchObject({ data: { verdicts: [{ gate: "spin", rule: "spin.repetition:3" }] } });
    expect(JSON.stringify((refused as { payload?: unknown } | undefined)?.payload)).toContain("change the arguments or the approach");
  });

  test("are not looked for where the profile does not ask for it", () => {
    const session = sessionUnder(limited({}));
    for (let call = 0; call < 10; call++) expect(session.ask(NOW, "d1", "r")).toBe(true);
    expect(session.state.counts.recent).toEqual([]);
  });

  test("whatever is asked: what is new always passes, and what is kept stays small", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: 1 })), { maxLength: 150 }), (calls) => {
        const session = guarded();
        const seen = new Set<number>();
        for (const [call, result] of calls) {
          const passed = session.ask(NOW, `d${call}`, `r${result}`);
          if (!seen.has(call)) expect(passed).toBe(true);
          seen.add(call);
        }
        expect(session.state.counts.recent.length).toBeLessThanOrEqual(64);
      }),
    );
  });

  test("the same call with the same result is never made three times in a row", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom("A", "B", "C"), fc.constantFrom("1", "2")), { maxLength: 60 }), (calls) => {
        const session = guarded();
        const made = calls.flatMap(([call, result]) => (session.ask(NOW, call, result) ? [`${call}${result}`] : []));
        for (let index = 2; index < made.length; index++) expect(new Set(made.slice(index - 2, index + 1)).size).toBeGreaterThan(1);
      }),
    );
  });
});
