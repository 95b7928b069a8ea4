/** Calls that people decide on: who is asked, what comes of it, and that a call is judged once more before it is sent. */
import { CallAdmitted } from "../events/admitted.ts";
import { ApprovalDecided, type ApprovalOutcome, ApprovalResolved, GrantConsumed, GrantIssued } from "../events/approval.ts";
import { CallAnswered, type ErrorCode } from "../events/call.ts";
import type { Asking, Grant, OpenApproval } from "./approvals/state.ts";
import { isOver, judgeVote, tally } from "./approvals/votes.ts";
import { incarnationIn, isAt, OPEN_POLICY, serverOf } from "./catalogue.ts";
import type { TurnContext } from "./define.ts";
import { deniable, denialOf } from "./gates/denials.ts";
import { judge } from "./gates/pipeline.ts";
import { authorise } from "./policy/allow.ts";
import { ofOperation } from "./policy/capability.ts";
import { profileOf } from "./policy/defaults.ts";
import { againOf, profileIn } from "./policy/scope.ts";
import { without } from "./server-rules.ts";
import type { SessionActorEvent, SessionCommand, SessionState } from "./session-commands.ts";
import { answer } from "./session-end.ts";
import { mustWait } from "./session-order.ts";

type Command<T extends SessionCommand["type"]> = Extract<SessionCommand, { readonly type: T }>;
type Events = SessionActorEvent[];

/** The calls that wait for it hear of it by commands of their own. */
function resolve(
  state: SessionState,
  open: OpenApproval,
  outcome: ApprovalOutcome,
  { now, catalogue }: TurnContext,
  { by, arguments: args }: { readonly by?: string; readonly arguments?: unknown } = {},
): Events {
  const { id, name, server, tool, operation, digest, serverId, reasons, grantTtlMs } = open;
  const until = now + grantTtlMs;
  const isSaid = outcome === "denied" || outcome === "revised";
  const policy = serverOf(catalogue, server)?.policy ?? OPEN_POLICY;
  const denied = deniable({ name, server: { id: incarnationIn(serverId), policy }, offer: { tool } }, { operation });
  const denial = outcome === "denied" && denialOf(denied, profileOf(catalogue.policy, state.profile), now);
  const delivers = Object.values(state.open).some(({ asking }) => asking?.approval === id && asking.deliver);
  const told = outcome === "approved" && delivers ? args : undefined;
  const resolved = ApprovalResolved({ id, outcome, ...(by !== undefined && { by }), ...(isSaid && { until }), ...denial }, told);
  if (outcome !== "approved") return [resolved];
  const rules = reasons.map(({ rule }) => rule);
  return [resolved, GrantIssued({ approval: id, name, serverId, digest, rules, issuedAt: now, expiresAt: until })];
}

/** Judged once more by the catalogue of this turn: what was tightened while people thought about it holds. */
function revalidate(state: SessionState, call: string, asking: Asking, grant: Grant, { catalogue, now }: TurnContext) {
  const scope = { profile: state.profile, client: state.client, narrow: asking.narrow };
  const verdict = authorise(catalogue, asking.name, { ...scope, via: asking.via });
  if (!verdict.allowed) return { rule: verdict.rule };
  const { offer } = verdict;
  const server = serverOf(catalogue, offer.server);
  if (!server || !isAt(server, grant.serverId) || offer.tool !== asking.tool) return { rule: "another-tool" };
  const { name, digest, observed = {} } = asking;
  const { capability, risk } = ofOperation(server.policy, offer, observed.operation);
  const judged = { call, name, offer, server, capability, risk, observed, digest };
  const profile = profileIn(catalogue.policy, scope);
  const { denied, asks } = judge(judged, { catalogue, profile, scope, state, now });
  const uncovered = denied ?? asks.find((ask) => !grant.rules.includes(ask.rule));
  return uncovered ? { rule: uncovered.rule } : { capability };
}

/** One call that waited hears what people said. */
function conclude(state: SessionState, { call, approval, outcome, payload }: Command<"conclude">, turn: TurnContext): Events {
  const { asking, server, counted } = state.open[call] ?? {};
  if (!asking || server === undefined || asking.approval !== approval) return [];
  const end = (code: ErrorCode, more: { readonly reason?: string; readonly rule?: string } = {}) =>
    answer(state, { call, certainty: "not_applied", code, approval, ...more });
  if (outcome === "denied" || outcome === "revised") return end("approval_denied");
  if (outcome === "cancelled") return end("approval_denied", { reason: "the request was withdrawn" });
  if (outcome === "expired") return end("approval_pending", { reason: "nobody decided in time" });
  const grant = state.people.grants.find((one) => one.approval === approval);
  if (!grant) return end("cancelled", { reason: "the approval was used by an identical call that waited for it too" });
  const again = revalidate(state, call, asking, grant, turn);
  if (again.capability === undefined)
    return end("refused", { rule: again.rule, reason: "it was approved, but the policy has changed since" });
  const { name, tool, digest, timeoutMs, deliver, narrow, observed } = asking;
  const profile = profileIn(turn.catalogue.policy, { profile: state.profile, narrow });
  if (counted?.order && mustWait(without(state.open, call), again.capability, profile))
    return [GrantConsumed({ approval, call, deadline: turn.now + timeoutMs })];
  const admitted = {
    call,
    name,
    server,
    tool,
    capability: again.capability,
    digest,
    timeoutMs,
    ...(deliver && { deliver }),
    ...againOf(narrow, observed?.operation),
    grant: approval,
    covered: [...grant.rules],
  };
  return [GrantConsumed({ approval, call }), CallAdmitted(admitted, deliver && payload)];
}

export const decideApprovals = {
  vote(state: SessionState, { approval, by, channel, verdict, payload, arguments: args }: Command<"vote">, turn: TurnContext): Events {
    const open = state.people.approvals[approval];
    if (!open) return [];
    const counted = judgeVote(open, { by, channel }, verdict, turn.now);
    if (counted === "expired") return resolve(state, open, "expired", turn);
    if (typeof counted === "string") return [];
    const decided = ApprovalDecided({ id: approval, by, seat: counted.seat, channel, verdict }, payload);
    const outcome = tally(open, [...open.votes, decided.data]);
    return outcome ? [decided, ...resolve(state, open, outcome, turn, { arguments: args })] : [decided];
  },
  withdraw(state: SessionState, { approval, by }: Command<"withdraw">, turn: TurnContext): Events {
    const open = state.people.approvals[approval];
    return open ? resolve(state, open, isOver(open, turn.now) ? "expired" : "cancelled", turn, { by }) : [];
  },
  conclude,
};

/** Undefined: the key is not of an approval. */
export function wakePeople(state: SessionState, key: string, turn: TurnContext): Events | undefined {
  const [kind, id = ""] = key.split(":");
  if (kind === "approval") {
    const approval = state.people.approvals[id];
    return approval && isOver(approval, turn.now) ? resolve(state, approval, "expired", turn) : [];
  }
  if (kind !== "hold") return undefined;
  const asking = state.open[id]?.asking;
  return asking && asking.holdUntil <= turn.now ? pending(state, id, asking) : [];
}

/** Its request has waited long enough; people can go on deciding. */
function pending(state: SessionState, call: string, { approval }: Asking): Events {
  const { expiresAt } = state.people.approvals[approval] ?? {};
  return answer(state, {
    call,
    certainty: "not_applied",
    code: "approval_pending",
    approval,
    ...(expiresAt !== undefined && { expiresAt }),
  });
}

/** The client does not want the call any more that waits for people: nor need they decide, unless an identical one waits too. */
export function cancelAsking(state: SessionState, call: string, { approval }: Asking, turn: TurnContext): Events {
  const isShared = Object.entries(state.open).some(([other, { asking }]) => other !== call && asking?.approval === approval);
  const open = state.people.approvals[approval];
  const { task } = state.open[call] ?? {};
  const followed = task !== undefined && { unclaimed: true as const, task };
  const ended = CallAnswered({ call, certainty: "not_applied", code: "cancelled", approval, ...followed });
  return open && !isShared ? [ended, ...resolve(state, open, "cancelled", turn, { by: "client" })] : [ended];
}

/** The process that held the request is gone: the call ends, and people can still decide. */
export function interruptAsking(state: SessionState, call: string, asking: Asking): Events {
  const open = state.open[call];
  return open ? pending({ ...state, open: { ...state.open, [call]: { ...open, unclaimed: true } } }, call, asking) : [];
}
