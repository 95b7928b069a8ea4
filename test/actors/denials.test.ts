import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { NOW } from "../given.ts";
import { askOf, limited, sessionUnder } from "./limit-fixture.ts";

const DENIALS = { count: 3, windowMs: 600_000 };
const strictly = (catalogue: ReturnType<typeof limited>) => ({
  ...catalogue,
  policy: { ...catalogue.policy, rules: [{ name: "no", tool: "*", action: "deny" as const, reason: "" }] },
});
const denying = strictly(limited({ denials: DENIALS }));
const open = limited({ denials: DENIALS });
const rule = ([event]: readonly { data: object }[]) => (event?.data as { rule?: string } | undefined)?.rule;

/** Denied so many times, a second apart, the last time at NOW. */
function denied(times: number, catalogue = denying) {
  const session = sessionUnder(catalogue);
  for (let time = times - 1; time >= 0; time--) session.step(NOW - time * 1000, askOf("c_1"), catalogue);
  return session;
}

describe("a tool that was denied again and again", () => {
  test("is refused at once, whatever the policy says by now", () => {
    expect(rule(denied(2).step(NOW, askOf("c_9"), open))).toBe("default-allow");
    expect(rule(denied(3).step(NOW, askOf("c_9"), open))).toBe("denial-limit");
  });

  test("may be asked for again when the oldest denial has left the window; what was refused at once did not prolong it", () => {
    const session = denied(3);
    for (let time = 0; time < 10; time++) expect(rule(session.step(NOW + 1, askOf("c_8"), denying))).toBe("denial-limit");
    expect(rule(session.step(NOW - 2000 + DENIALS.windowMs - 1, askOf("c_9"), open))).toBe("denial-limit");
    expect(rule(session.step(NOW - 2000 + DENIALS.windowMs, askOf("c_9"), open))).toBe("default-allow");
  });

  test("does not keep its agent from other tools", () => {
    expect(rule(denied(3).step(NOW, askOf("c_9", "d1", "mail__send_mail"), open))).toBe("default-allow");
  });

  test("is free again when its denials are forgiven; there is nothing to forgive twice", () => {
    const session = denied(3);
    expect(session.step(NOW, { type: "forgiveDenials", by: "operator:grace" })).toMatchObject([
      { type: "denials.forgiven", data: { by: "operator:grace" } },
    ]);
    expect(session.step(NOW, { type: "forgiveDenials", by: "operator:grace" })).toEqual([]);
    expect(rule(session.step(NOW, askOf("c_9"), open))).toBe("default-allow");
  });

  test("is a matter of policy: limits and faults of the arguments do not count", () => {
    const session = sessionUnder(limited({ denials: DENIALS, callsPerHour: 1 }));
    session.ask(NOW, "d1");
    for (let time = 0; time < 5; time++) expect(rule(session.step(NOW, askOf("c_9")))).toBe("callsPerHour:1");
    const refusal = { code: "invalid_arguments", rule: "bounds" } as const;
    for (let time = 0; time < 5; time++) session.step(NOW, { ...askOf("c_9"), refusal });
    expect(session.state.counts.denials).toEqual({});
  });

  test("counts what a person denied", () => {
    const session = sessionUnder(open);
    for (let time = 0; time < 3; time++) session.deny("mail__list", NOW, NOW + DENIALS.windowMs);
    expect(rule(session.step(NOW, askOf("c_9")))).toBe("denial-limit");
  });

  test("is off at zero", () => {
    const off = strictly(limited({ denials: { count: 0, windowMs: 600_000 } }));
    expect(denied(5, off).state.counts.denials).toEqual({});
  });

  test("is remembered in little space", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 250 }), fc.nat(5000)), { maxLength: 300 }), (calls) => {
        const session = sessionUnder(open);
        let now = NOW;
        for (const [tool, gap] of calls) {
          now += gap;
          session.deny(`mail__${tool}`, now, now + DENIALS.windowMs);
        }
        expect(Object.keys(session.state.counts.denials).length).toBeLessThanOrEqual(100);
      }),
      { numRuns: 20 },
    );
  });
});
