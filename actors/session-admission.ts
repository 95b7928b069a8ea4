/** From a request to its admission or refusal: every gate, in order, inside one turn. */
import { GrantConsumed } from "../events/approval.ts";
import { CallRefused, CallRequested } from "../events/call.ts";
import type { Denial } from "../events/limits.ts";
import type { Scope, Verdict } from "../events/policy.ts";
import { decideAsked } from "./approvals/ask.ts";
import { type Offer, serverOf } from "./catalogue.ts";
import type { TurnContext } from "./define.ts";
import { isOnce } from "./gates/call-once.ts";
import { labelsOf, taintOf } from "./gates/composition.ts";
import { countedFor } from "./gates/counts.ts";
import { deniable, denialOf, isDenial } from "./gates/denials.ts";
import { judge, judgeCounting } from "./gates/pipeline.ts";
import { toldOf } from "./gates/told.ts";
import { authorise } from "./policy/allow.ts";
import { ofOperation } from "./policy/capability.ts";
import { againOf, profileIn } from "./policy/scope.ts";
import type { SessionActorEvent, SessionCommand, SessionState } from "./session-commands.ts";
import { afterEarlier, isOrdered, mustWait, queueLength } from "./session-order.ts";
import { activationByCall } from "./shown.ts";

type Ask = Extract<SessionCommand, { readonly type: "ask" }>;

/** The payload of a refusal: what was asked for, and why not, in words that may repeat the agent's. */
export interface Refused {
  readonly arguments: unknown;
  readonly reason: string;
}

export function admitCall(state: SessionState, command: Ask, turn: TurnContext): SessionActorEvent[] {
  const {
    type: _t,
    payload,
    refusal,
    name,
    observed = {},
    narrow,
    approvalId: _i,
    heard: _h,
    client: _c,
    denied: times,
    ...asked
  } = command;
  const { shown } = state;
  const scope = { profile: state.profile, client: state.client, narrow };
  const { catalogue, now } = turn;
  const via = asked.via && { via: asked.via };
  if (refusal) return [CallRefused({ call: asked.call, name, ...refusal, ...via }, payload)];
  const verdict = authorise(catalogue, name, { ...scope, via: asked.via });
  const refuse = (
    code: Verdict["code"] | "tool_not_found" | "not_connected" | "overloaded" | "approval_denied",
    rule: string,
    reason: string,
    verdicts: readonly Verdict[] = [],
    more: { retryAfterMs?: number; denial?: Denial; approval?: string } = {},
  ) => {
    const told: Refused = { arguments: payload ?? null, reason };
    const said = verdicts.length > 0 && { verdicts: [...verdicts] };
    return [CallRefused({ call: asked.call, name, code: code ?? "refused", rule, ...via, ...said, ...more }, told)];
  };
  if (!verdict.allowed) return refuse(verdict.code, verdict.rule, verdict.reason);
  const { offer, rule } = verdict;
  const server = serverOf(catalogue, offer.server);
  if (!server) return refuse("tool_not_found", "unknown-tool", "no such tool is offered here");
  const profile = profileIn(catalogue.policy, scope);
  const { capability, risk } = ofOperation(server.policy, offer, observed.operation);
  const judged = {
    call: asked.call,
    name,
    offer,
    server,
    capability,
    risk,
    observed,
    digest: asked.digest,
  };
  const ordered = isOrdered(offer, capability, asked.deliver !== undefined, profile);
  const context = { catalogue, profile, scope, state: ordered ? afterEarlier(state) : state, now, denied: times };
  const first = judge(judged, context);
  const hooks = observed.hooks ?? [];
  const { verdicts, denied, asks } = first.denied || hooks.length > 0 ? first : judgeCounting(judged, context, first.verdicts);
  if (denied)
    return refuse(denied.code, denied.rule, toldOf(denied), verdicts, {
      ...(denied.retryAfterMs !== undefined && { retryAfterMs: denied.retryAfterMs }),
      ...(isDenial(denied) && denialOf(deniable(judged, observed), profile, now)),
    });
  const activates = activationOf(turn, { ...scope, narrow: undefined }, shown, offer, asked.via);
  const said = verdicts.length > 0 && { verdicts: [...verdicts] };
  const taints = taintOf(labelsOf(server, offer, capability));
  const tainted = taints.length > 0 && { taints: [...taints] };
  const { tool } = offer;
  const again = againOf(narrow, observed.operation);
  const known = { ...asked, name, server: offer.server, tool, capability, rule, ...again, ...activates, ...said, ...tainted };
  if (hooks.length > 0) {
    const place = ordered && { counted: { at: now, order: true as const } };
    return [CallRequested({ ...known, ...place, stage: "checking", hooks, observed }, payload)];
  }
  const people = asks.length > 0 ? decideAsked(state, judged, profile, asks, command, turn) : undefined;
  if (people?.kind === "nobody")
    return refuse("refused", "no_approver", "a person would have to approve it, and nobody can be asked", verdicts);
  if (people?.kind === "told") return refuse("approval_denied", `approval:${people.outcome}`, "", verdicts, { approval: people.approval });
  const isQueued = ordered && people?.kind !== "asking" && mustWait(state.open, capability, profile);
  if (isQueued && queueLength(state.open) >= catalogue.limits.waitingPerServer)
    return refuse("overloaded", "session-queue", "too many calls of this session wait for their turn", verdicts);
  const counted = countedFor(offer, { once: isOnce(server, offer), ordered }, profile, now);
  const seen = command.observed && { observed };
  const request = { ...known, ...counted, ...(isQueued && { stage: "queued" as const, ...seen }) };
  if (!people) return [CallRequested(request, payload)];
  const { approval } = people;
  if (people.kind === "granted") return [CallRequested({ ...request, approval }, payload), GrantConsumed({ approval, call: asked.call })];
  const waits = { stage: "asking", approval, holdUntil: people.holdUntil, ...seen } as const;
  return [CallRequested({ ...request, ...waits }, payload), ...people.events];
}

function activationOf({ catalogue }: TurnContext, scope: Scope, shown: SessionState["shown"], offer: Offer, via: string | undefined) {
  const joins = via ? undefined : activationByCall(catalogue, scope, shown, offer);
  return joins && { activates: { hash: offer.hash, ...(joins.drops.length > 0 && { drops: [...joins.drops] }) } };
}
