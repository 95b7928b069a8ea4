/** What a session decides about calls that people decide on. */
import { describe, expect, test } from "bun:test";
import { Session } from "../../actors/session.ts";
import { ApprovalResolved } from "../../events/approval.ts";
import { CallAnswered } from "../../events/call.ts";
import { given, NOW } from "../given.ts";
import { answered, approved, ask, conclude, decided, grant, opened, requested, supervised, vote, waiting } from "./approval-fixture.ts";

describe("a call that people have to decide on", () => {
  test("waits, and nothing is sent", () => {
    given(Session, opened)
      .as("session/s_1")
      .with(supervised())
      .when(ask)
      .emits(waiting(), requested)
      .causes(
        { type: "wake", key: "hold:c_1", at: NOW + 15_000 },
        { type: "wake", key: "approval:a_1", at: NOW + 300_000 },
        { type: "askPeople", approval: "a_1", call: "c_1", seats: ["operator"] },
      );
  });

  test("joins an identical one that waits already", () => {
    given(Session, opened, waiting(), requested)
      .with(supervised())
      .when({ ...ask, call: "c_2", approvalId: "a_2" })
      .emits(waiting("c_2"));
  });

  test("is asked about anew for other arguments", () => {
    const [, second] = given(Session, opened, waiting(), requested)
      .with(supervised())
      .when({ ...ask, call: "c_2", approvalId: "a_2", digest: "d2" }).events;
    expect(second).toMatchObject({ type: "approval.requested", data: { id: "a_2", digest: "d2" } });
  });

  test("ends its request when the hold is over, and can still be decided on", () => {
    const state = given(Session, opened, waiting(), requested)
      .now(NOW + 15_000)
      .when({ type: "wake", key: "hold:c_1" })
      .emits(CallAnswered({ ...answered, code: "approval_pending", expiresAt: NOW + 300_000 })).state;
    expect(Object.keys(state.people.approvals)).toEqual(["a_1"]);
  });

  test("whose server is another one by now is asked about anew", () => {
    const other = supervised();
    const mail = other.servers.get("mail");
    const servers = new Map(mail && [["mail", { ...mail, id: "bbbbbbbbbbbb" }]]);
    given(Session, opened, grant)
      .with({ ...other, servers })
      .when(ask)
      .emitsTypes("call.requested", "approval.requested");
  });
});

describe("a vote", () => {
  test("that decides issues a grant, and the waiting call is told", () => {
    given(Session, opened, waiting(), requested)
      .as("session/s_1")
      .with(supervised())
      .when(vote)
      .emits(decided("approve"), approved, grant)
      .causes({ type: "rest", key: "approval:a_1" }, { type: "tell", to: "session/s_1", command: conclude("approved") });
  });

  test("counts as a denial of the tool when it denies", () => {
    const denial = { server: "aaaaaaaaaaaa", tool: "mail__send_mail", at: NOW, until: NOW + 600_000 };
    given(Session, opened, waiting(), requested)
      .with(supervised())
      .when({ ...vote, verdict: "deny" })
      .emits(decided("deny"), ApprovalResolved({ id: "a_1", outcome: "denied", until: NOW + 900_000, denial }));
  });

  test("after the time is over finds that it has expired, which is no denial", () => {
    given(Session, opened, waiting(), requested)
      .with(supervised())
      .now(NOW + 300_000)
      .when(vote)
      .emits(ApprovalResolved({ id: "a_1", outcome: "expired" }));
  });

  test("on what nobody asks about changes nothing", () => {
    given(Session, opened).with(supervised()).when(vote).emits();
    given(Session, opened, waiting(), requested, decided("approve"), approved).with(supervised()).when(vote).emits();
  });

  test("may be taken out of people's hands by an operator", () => {
    given(Session, opened, waiting(), requested)
      .with(supervised())
      .when({ type: "withdraw", approval: "a_1", by: "operator:root" })
      .emits(ApprovalResolved({ id: "a_1", outcome: "cancelled", by: "operator:root" }));
  });
});

test("a restart ends what waits for people, and people can still decide", () => {
  const { state } = given(Session, opened, waiting(), requested)
    .whenRestarted()
    .emits(CallAnswered({ ...answered, code: "approval_pending", expiresAt: NOW + 300_000, unclaimed: true }));
  expect(Object.keys(state.people.approvals)).toEqual(["a_1"]);
  expect(Session.isQuiet(state)).toBe(false);
});
