/** Calls whose request is answered before they end, as their session sees them: parked, claimed again, announced. */
import { describe, expect, test } from "bun:test";
import { Session } from "../../actors/session.ts";
import { CallAnswered, CallRequested, CallUnclaimed } from "../../events/call.ts";
import { CallClaimed } from "../../events/leg.ts";
import { OutcomeNoted, OutcomeTold, SessionBequeathed, SessionInherited } from "../../events/session.ts";
import { given, NOW } from "../given.ts";
import { askOf, limited, opened, sessionUnder } from "./limit-fixture.ts";

const requested = (capability: "read" | "mutating" = "mutating") =>
  CallRequested(
    {
      call: "c_1",
      name: "mail__send_mail",
      digest: "d1",
      timeoutMs: 60_000,
      server: "mail",
      tool: "send_mail",
      capability,
      rule: "default-allow",
    },
    {},
  );
const parked = CallUnclaimed({ call: "c_1", cancel: false, question: "q_1" });
const claimed = CallClaimed({ call: "c_1" });
const suspended = { type: "suspended", call: "c_1", question: "q_1" } as const;
const settle = { type: "settle", call: "c_1", certainty: "answered" } as const;
const bequeathed = SessionBequeathed({ to: "s_2", calls: [] });

describe("a call that waits for a question", () => {
  test("answers its request with it", () => {
    given(Session, opened, requested()).when(suspended).emits(parked).causes({ type: "park", call: "c_1", question: "q_1" });
    given(Session, opened).when(suspended).emits();
  });

  test("whose client has left before is announced by its question", () => {
    const left = CallUnclaimed({ call: "c_1", cancel: false });
    const { state } = given(Session, opened, requested(), left)
      .when(suspended, { type: "note", ids: ["q_1"] })
      .emits(parked, OutcomeNoted({ ids: ["q_1"] }));
    expect(state.notices).toEqual(["q_1"]);
  });

  test("is claimed by whoever answers: its end is theirs, and not announced", () => {
    given(Session, opened, requested(), parked).when({ type: "claim", call: "c_1" }).emits(claimed);
    given(Session, opened, requested()).when({ type: "claim", call: "c_1" }).emits();
    const { state } = given(Session, opened, requested(), parked, claimed)
      .when(settle)
      .emits(CallAnswered({ call: "c_1", certainty: "answered" }));
    expect(state.notices).toEqual([]);
  });

  test("ends without anybody waiting: that is announced, of a read too", () => {
    for (const capability of ["read", "mutating"] as const) {
      const { state } = given(Session, opened, requested(capability), parked)
        .when(settle)
        .emits(CallAnswered({ call: "c_1", certainty: "answered", unclaimed: true }));
      expect(state.notices).toEqual(["c_1"]);
    }
  });

  test("stays as it is when we start again", () => {
    given(Session, opened, requested(), parked).whenRestarted().emits();
    given(Session, opened, requested(), parked, claimed)
      .whenRestarted()
      .emits(CallUnclaimed({ call: "c_1", cancel: false }));
  });
});

describe("what turned up meanwhile", () => {
  test("is told once, by whatever way", () => {
    const noted = OutcomeNoted({ ids: ["q_1"] });
    given(Session, opened, noted)
      .when({ type: "told", ids: ["q_1", "q_9"], by: "call_status" }, { type: "told", ids: ["q_1"], by: "call_status" })
      .emits(OutcomeTold({ ids: ["q_1"], by: "call_status" }));
    const other = CallRequested({ ...requested().data, call: "c_2" }, {});
    given(Session, opened, noted, other)
      .when({ ...settle, call: "c_2" })
      .emits(CallAnswered({ call: "c_2", certainty: "answered", notices: ["q_1"] }));
  });

  test("goes to the heir, who has it before its first call", () => {
    const passedOn = SessionBequeathed({ to: "s_2", calls: ["q_1"] });
    given(Session, opened, bequeathed)
      .when({ type: "note", ids: ["q_1"] })
      .emits(OutcomeNoted({ ids: ["q_1"] }), passedOn)
      .causes({ type: "tell", to: "session/s_2", command: { type: "inherit", from: "test", calls: ["q_1"] } });
    const { state } = given(Session, opened)
      .when({ type: "inherit", from: "s_1", calls: ["q_1"] })
      .emits(SessionInherited({ from: "s_1", calls: ["q_1"] }));
    expect(state.notices).toEqual(["q_1"]);
    const late = given(Session, opened, requested(), parked, bequeathed).when(settle);
    late.emits(CallAnswered({ call: "c_1", certainty: "answered", unclaimed: true }), SessionBequeathed({ to: "s_2", calls: ["c_1"] }));
  });
});

test("a call that waits holds no place in the order of its session", () => {
  const ordered = limited({ parallelReads: 1, orderedWrites: true }, { capabilities: { list: "read", send_mail: "mutating" } });
  const session = sessionUnder(ordered);
  const ask = (call: string) =>
    session.step(NOW, askOf(call, call, "mail__send_mail")).map(({ data }) => (data as { stage?: string }).stage);
  expect([ask("w1"), ask("w2"), ask("w3")]).toEqual([[undefined], ["queued"], ["queued"]]);
  const goes = session.step(NOW, { type: "suspended", call: "w1", question: "q_1" });
  expect(goes.map(({ type, data }) => [type, (data as { call: string }).call])).toEqual([
    ["call.unclaimed", "w1"],
    ["call.admitted", "w2"],
  ]);
  const resumed = [
    ...session.step(NOW, { type: "claim", call: "w1" }),
    ...session.step(NOW, { type: "settle", call: "w1", certainty: "answered" }),
  ];
  expect(resumed.map(({ type }) => type)).toEqual(["call.claimed", "call.answered"]);
  expect(session.step(NOW, { type: "settle", call: "w2", certainty: "answered" }).map(({ type }) => type)).toEqual([
    "call.answered",
    "call.admitted",
  ]);
});
