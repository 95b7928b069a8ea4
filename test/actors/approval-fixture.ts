/** A session that asks people, its events, and the catalogue that makes it ask. */
import type { Catalogue } from "../../actors/catalogue.ts";
import { DEFAULT_APPROVALS, DEFAULT_POLICY, SUPERVISED_PROFILE } from "../../actors/policy/defaults.ts";
import { ApprovalDecided, ApprovalRequested, ApprovalResolved, GrantIssued } from "../../events/approval.ts";
import { CallRequested } from "../../events/call.ts";
import type { ApprovalPolicy, CallLimits } from "../../events/policy.ts";
import { SessionOpened } from "../../events/session.ts";
import { NOW } from "../given.ts";
import { catalogueOf } from "./fixtures.ts";

export const opened = SessionOpened({ agent: "ada", name: "desk", client: "cli", era: "legacy", profile: "default" });
export function supervised(approvals: Partial<ApprovalPolicy> = {}, limits: Partial<CallLimits> = {}): Catalogue {
  const own = { ...SUPERVISED_PROFILE.limits, callsPerHour: 0, spin: { repetition: 0, window: 0 }, orderedWrites: false, ...limits };
  const profile = { ...SUPERVISED_PROFILE, limits: own, approvals: { ...DEFAULT_APPROVALS, ...approvals } };
  return { ...catalogueOf(), policy: { ...DEFAULT_POLICY, profiles: { default: profile } } };
}
export const ask = {
  type: "ask",
  call: "c_1",
  name: "mail__send_mail",
  digest: "d1",
  timeoutMs: 60_000,
  approvalId: "a_1",
  payload: { to: "grace" },
} as const;
export const reason = { gate: "risk", outcome: "ask", rule: "autonomy:supervised", reason: "it may change something" } as const;
export const requestOf = (call: string) => ({
  call,
  name: "mail__send_mail",
  digest: "d1",
  timeoutMs: 60_000,
  server: "mail",
  tool: "send_mail",
  capability: "mutating" as const,
  rule: "default-allow",
  verdicts: [reason],
});
export const waiting = (call = "c_1") =>
  CallRequested({ ...requestOf(call), stage: "asking", approval: "a_1", holdUntil: NOW + 15_000 }, { to: "grace" });
export const requested = ApprovalRequested(
  {
    id: "a_1",
    call: "c_1",
    name: "mail__send_mail",
    server: "mail",
    tool: "send_mail",
    serverId: "aaaaaaaaaaaa",
    digest: "d1",
    reasons: [reason],
    risk: "medium",
    strategy: "any",
    seats: ["operator"],
    needed: 1,
    createdAt: NOW,
    expiresAt: NOW + 300_000,
    grantTtlMs: 900_000,
    attempt: 1,
    round: 1,
    maxRounds: 2,
  },
  { to: "grace" },
);
export const vote = { type: "vote", approval: "a_1", by: "operator:root", channel: "rest", verdict: "approve", payload: {} } as const;
export const decided = (verdict: "approve" | "deny" | "revise") =>
  ApprovalDecided({ id: "a_1", by: "operator:root", seat: "operator", channel: "rest", verdict }, {});
export const grant = GrantIssued({
  approval: "a_1",
  name: "mail__send_mail",
  serverId: "aaaaaaaaaaaa",
  digest: "d1",
  rules: ["autonomy:supervised"],
  issuedAt: NOW,
  expiresAt: NOW + 900_000,
});
export const approved = ApprovalResolved({ id: "a_1", outcome: "approved" });
export const answered = { call: "c_1", certainty: "not_applied", approval: "a_1" } as const;
export const conclude = (outcome: "approved" | "denied" | "revised" | "expired" | "cancelled") =>
  ({ type: "conclude", call: "c_1", approval: "a_1", outcome }) as const;
