/** What becomes of a call that has waited for people. */
import { describe, expect, test } from "bun:test";
import { Session } from "../../actors/session.ts";
import { CallAdmitted } from "../../events/admitted.ts";
import { ApprovalResolved, GrantConsumed } from "../../events/approval.ts";
import { CallAnswered, CallRequested } from "../../events/call.ts";
import { given, NOW } from "../given.ts";
import { answered, approved, ask, conclude, grant, opened, requested, requestOf, supervised, waiting } from "./approval-fixture.ts";

describe("a call that has waited", () => {
  const past = [opened, waiting(), requested] as const;
  const admitted = CallAdmitted({
    call: "c_1",
    name: "mail__send_mail",
    server: "mail",
    tool: "send_mail",
    capability: "mutating",
    digest: "d1",
    timeoutMs: 60_000,
    grant: "a_1",
    covered: ["autonomy:supervised"],
  });

  const { grant: _, ...queued } = admitted.data;

  test("is sent when it was approved, and uses the approval up", () => {
    const { grant: _g, server: _s, ...sent } = admitted.data;
    given(Session, ...past, approved, grant)
      .as("session/s_1")
      .with(supervised())
      .when(conclude("approved"), conclude("approved"))
      .emits(GrantConsumed({ approval: "a_1", call: "c_1" }), admitted)
      .causes(
        { type: "rest", key: "hold:c_1" },
        { type: "rest", key: "queue:c_1" },
        {
          type: "tell",
          to: "server/mail",
          command: { type: "dispatch", session: "s_1", agent: "ada", scope: { profile: "default", client: "cli" }, ...sent },
        },
      );
  });

  test.each([
    ["denied", "approval_denied", undefined],
    ["revised", "approval_denied", undefined],
    ["cancelled", "approval_denied", "the request was withdrawn"],
    ["expired", "approval_pending", "nobody decided in time"],
  ] as const)("ends when it was %s", (outcome, code, reasonTold) => {
    given(Session, ...past, ApprovalResolved({ id: "a_1", outcome }))
      .with(supervised())
      .when(conclude(outcome))
      .emits(CallAnswered({ ...answered, code, ...(reasonTold && { reason: reasonTold }) }));
  });

  test("is refused when the policy was tightened meanwhile, by its name", () => {
    const stricter = supervised();
    const policy = { ...stricter.policy, global: { ...stricter.policy.global, denyCapabilities: ["mutating" as const] } };
    const told = "it was approved, but the policy has changed since";
    given(Session, ...past, approved, grant)
      .with({ ...stricter, policy })
      .when(conclude("approved"))
      .emits(CallAnswered({ ...answered, code: "refused", rule: "policy.denyCapabilities:mutating", reason: told }));
  });

  test("waits for earlier writes of its session, where they are ordered", () => {
    const counted = { at: NOW, order: true } as const;
    const running = CallRequested({ ...requestOf("c_0"), digest: "d0", counted });
    const asking = CallRequested({ ...waiting().data, counted });
    given(Session, opened, running, asking, requested, approved, grant)
      .with(supervised({}, { orderedWrites: true }))
      .when(conclude("approved"), { type: "settle", call: "c_0", certainty: "answered" })
      .emits(
        GrantConsumed({ approval: "a_1", call: "c_1", deadline: NOW + 60_000 }),
        CallAnswered({ call: "c_0", certainty: "answered" }),
        CallAdmitted(queued),
      );
  });

  test("holds up nobody while it waits for people", () => {
    const counted = { at: NOW, order: true } as const;
    const asking = CallRequested({ ...waiting().data, counted });
    const { events } = given(Session, opened, asking, requested)
      .with(supervised({}, { orderedWrites: true }))
      .when({ ...ask, call: "c_2", name: "mail__list", digest: "d2", approvalId: "a_2" });
    expect(events[0]).not.toMatchObject({ data: { stage: "queued" } });
  });
});
