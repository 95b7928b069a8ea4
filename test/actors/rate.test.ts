import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Session } from "../../actors/session.ts";
import { CallAnswered, CallRefused, CallRequested } from "../../events/call.ts";
import { given, NOW } from "../given.ts";
import { askOf, limited, opened, sessionUnder } from "./limit-fixture.ts";

const HOUR = 3_600_000;
const requested = (call: string, at: number) =>
  CallRequested(
    {
      call,
      name: "mail__list",
      digest: "d1",
      timeoutMs: 60_000,
      server: "mail",
      tool: "list",
      capability: "mutating",
      rule: "default-allow",
      counted: { at, rate: true },
    },
    {},
  );

describe("the limit of calls an hour", () => {
  test("is off at zero and below: nothing is counted", () => {
    for (const callsPerHour of [0, -1])
      expect(sessionUnder(limited({ callsPerHour })).step(NOW, askOf("c_1"))).toMatchObject([{ type: "call.requested" }]);
    const [event] = sessionUnder(limited({ callsPerHour: 0 })).step(NOW, askOf("c_1"));
    expect(event?.data).not.toHaveProperty("counted");
  });

  test("lets the last call through, and tells the next one when the oldest leaves the hour", () => {
    const past = [requested("c_1", NOW - 1000), requested("c_2", NOW)];
    given(Session, opened, ...past.slice(0, 1))
      .with(limited({ callsPerHour: 2 }))
      .when(askOf("c_2"))
      .emits(requested("c_2", NOW));
    given(Session, opened, ...past)
      .with(limited({ callsPerHour: 2 }))
      .when(askOf("c_3"))
      .emits(
        CallRefused(
          {
            call: "c_3",
            name: "mail__list",
            code: "rate_limited",
            rule: "callsPerHour:2",
            retryAfterMs: HOUR - 1000,
            verdicts: [{ gate: "rate", outcome: "deny", rule: "callsPerHour:2", code: "rate_limited", retryAfterMs: HOUR - 1000 }],
          },
          { arguments: {}, reason: "the calls of this hour are used up; the next one can be made in 60 min" },
        ),
      );
    given(Session, opened, ...past)
      .with(limited({ callsPerHour: 2 }))
      .now(NOW - 1000 + HOUR)
      .when(askOf("c_3"))
      .emitsTypes("call.requested");
  });

  test("gives back what was refused further on, and keeps what was tried", () => {
    const end = (code: "overloaded" | "timeout") => CallAnswered({ call: "c_1", certainty: "not_applied", code });
    const after = (code: "overloaded" | "timeout") =>
      given(Session, opened, requested("c_1", NOW - 5), end(code))
        .with(limited({ callsPerHour: 1 }))
        .when(askOf("c_2"));
    after("overloaded").emitsTypes("call.requested");
    after("timeout").emitsTypes("call.refused");
  });

  test("never lets more than so many through in any hour, and never fewer than it could", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.integer({ min: 0, max: HOUR / 2 }), { maxLength: 40 }),
        (callsPerHour, gaps) => {
          const session = sessionUnder(limited({ callsPerHour }));
          const through: number[] = [];
          let now = NOW;
          for (const gap of gaps) {
            now += gap;
            const within = through.filter((at) => at > now - HOUR).length;
            const passed = session.ask(now, "d1", "r");
            expect(passed).toBe(within < callsPerHour);
            if (passed) through.push(now);
          }
          expect(session.state.counts.calls.length).toBeLessThanOrEqual(callsPerHour);
        },
      ),
    );
  });
});
