/** Calls that hooks are asked about: what comes of it, and that such a call is judged once more before it is sent. */
import { CallAdmitted } from "../events/admitted.ts";
import { GrantConsumed } from "../events/approval.ts";
import { CallUnclaimed, type ErrorCode } from "../events/call.ts";
import { CallChecked } from "../events/checked.ts";
import type { Denial } from "../events/limits.ts";
import type { Observed, Verdict } from "../events/policy.ts";
import { decideAsked } from "./approvals/ask.ts";
import { holdKey } from "./approvals/keys.ts";
import { serverOf } from "./catalogue.ts";
import type { Checking } from "./checking.ts";
import type { TurnContext } from "./define.ts";
import { isOnce } from "./gates/call-once.ts";
import { countedFor, withRequested } from "./gates/counts.ts";
import { deniable, denialOf, isDenial } from "./gates/denials.ts";
import { hookRule } from "./gates/hook.ts";
import { judge, judgeCounting } from "./gates/pipeline.ts";
import { toldOf } from "./gates/told.ts";
import { authorise } from "./policy/allow.ts";
import { ofOperation } from "./policy/capability.ts";
import { againOf, profileIn } from "./policy/scope.ts";
import type { SessionActorEvent, SessionCommand, SessionEffect, SessionState } from "./session-commands.ts";
import { answer } from "./session-end.ts";
import { afterEarlier, mustStillWait, queuedAs, queueKey, queueLength } from "./session-order.ts";
import { type Taints, withTaint } from "./taint.ts";

type Command = Extract<SessionCommand, { readonly type: "consulted" }>;

type More = { readonly retryAfterMs?: number; readonly denial?: Denial; readonly approval?: string };
const BLOCKED = "a check of the operator blocks it";

export function consulted(state: SessionState, command: Command, turn: TurnContext): SessionActorEvent[] {
  const { call, verdicts, rewritten, refusal, payload } = command;
  const open = state.open[call];
  if (!open?.checking) return []; // it ended meanwhile
  const checking = { ...open.checking, ...rewritten };
  const digest = rewritten && { digest: rewritten.digest };
  const kept = rewritten || payload?.reason !== undefined ? payload : undefined;
  const end = (said: readonly Verdict[], code: ErrorCode, rule: string, reason: string, more: More = {}) => [
    CallChecked({ call, verdicts: [...said], ...digest }, kept),
    ...answer(state, { call, certainty: "not_applied", code, rule, ...more }, reason === "" ? undefined : { reason }),
  ];
  const blocked = verdicts.find(({ outcome }) => outcome === "deny");
  if (blocked) return end(verdicts, "refused", blocked.rule, payload?.reason ?? BLOCKED);
  if (refusal) return end(verdicts, refusal.code, refusal.rule, payload?.reason ?? BLOCKED);

  const { catalogue, now } = turn;
  const { name, tool, timeoutMs, via, deliver, narrow } = checking;
  const observed = withAsked(checking.observed, verdicts);
  const scope = { profile: state.profile, client: state.client, narrow };
  const verdict = authorise(catalogue, name, { ...scope, via });
  if (!verdict.allowed) return end(verdicts, verdict.code, verdict.rule, verdict.reason);
  const { offer } = verdict;
  const server = serverOf(catalogue, offer.server);
  if (!server || offer.tool !== tool || offer.server !== open.server)
    return end(verdicts, "tool_not_found", "another-tool", "the tool of this name is another one by now");
  const profile = profileIn(catalogue.policy, scope);
  const { capability, risk } = ofOperation(server.policy, offer, observed.operation);
  const judged = { call, name, offer, server, capability, risk, observed, digest: checking.digest };
  const ordered = open.counted?.order === true; // it keeps its place
  const context = { catalogue, profile, scope, state: ordered ? afterEarlier(state, call) : state, now, denied: command.denied };
  const first = judge(judged, context);
  const { verdicts: said, denied, asks } = first.denied ? first : judgeCounting(judged, context, first.verdicts);
  const all = [...verdicts, ...said];
  if (denied)
    return end(all, denied.code ?? "refused", denied.rule, toldOf(denied), {
      ...(denied.retryAfterMs !== undefined && { retryAfterMs: denied.retryAfterMs }),
      ...(isDenial(denied) && denialOf(deniable(judged, observed), profile, now)),
    });
  const people = asks.length > 0 ? decideAsked(state, judged, profile, asks, { ...command, payload: payload?.arguments }, turn) : undefined;
  if (people?.kind === "nobody") return end(all, "refused", "no_approver", "a person would have to approve it, and nobody can be asked");
  if (people?.kind === "told") return end(all, "approval_denied", `approval:${people.outcome}`, "", { approval: people.approval });
  const counted = countedFor(offer, { once: isOnce(server, offer), ordered }, profile, now);
  const checked = { call, verdicts: all, ...digest, ...counted };
  const found = {
    ...((rewritten || observed !== checking.observed) && { observed }),
    ...(rewritten && deliver && { deliver }),
    ...(capability !== open.capability && { capability }),
  };
  if (people?.kind === "asking") {
    const waits = { stage: "asking", approval: people.approval, holdUntil: people.holdUntil, ...found } as const;
    return [CallChecked({ ...checked, ...waits }, kept), ...people.events];
  }
  const used = people ? [GrantConsumed({ approval: people.approval, call })] : [];
  if (ordered && mustStillWait(state.open, call, capability, profile)) {
    if (queueLength(state.open) < catalogue.limits.waitingPerServer)
      return [CallChecked({ ...checked, ...found, stage: "queued" }, kept), ...used];
    return end(all, "overloaded", "session-queue", "too many calls of this session wait for their turn");
  }
  const admitted = { call, name, server: open.server, tool, capability, digest: checking.digest, timeoutMs };
  const more = {
    ...againOf(narrow, observed.operation),
    ...(deliver && { deliver }),
    ...(people && { grant: people.approval, covered: asks.map(({ rule }) => rule) }),
  };
  return [CallChecked(checked, kept), ...used, CallAdmitted({ ...admitted, ...more }, deliver && payload?.arguments)];
}

/** Hooks that came while others were asked were asked, too. */
function withAsked(known: Observed = {}, verdicts: readonly Verdict[]): Observed {
  if (!known.unasked) return known;
  const { unasked, ...observed } = known;
  const left = unasked.filter((hook) => !verdicts.some(({ gate, rule }) => gate === "hook" && rule === hookRule(hook)));
  return left.length > 0 ? { ...observed, unasked: left } : observed;
}

/** Nothing was sent, so it ends at once: its client is gone or wants it to stop, or we were restarted. */
export function endChecking(state: SessionState, call: string, rule: "cancelled" | "interrupted", reason: string): SessionActorEvent[] {
  const open = state.open[call];
  if (!open) return [];
  const left = { ...state, open: { ...state.open, [call]: { ...open, unclaimed: true as const } } };
  return [CallUnclaimed({ call, cancel: false }), ...answer(left, { call, certainty: "not_applied", code: "cancelled", rule }, { reason })];
}

type Data<T extends SessionActorEvent["type"]> = Extract<SessionActorEvent, { readonly type: T }>["data"];
/** Nothing for a call that is sent at once. */
export function checkingOf({ stage, name, tool, digest, timeoutMs, via, deliver, observed, narrow, taints }: Data<"call.requested">): {
  checking?: Checking;
} {
  if (stage !== "checking") return {};
  const more = {
    ...(via && { via }),
    ...(deliver && { deliver }),
    ...(observed && { observed }),
    ...(taints && { taints }),
    ...againOf(narrow, undefined),
  };
  return { checking: { name, tool, digest, timeoutMs, ...more } };
}

export const evolveChecks = {
  "call.checked": (state: SessionState, checked: Data<"call.checked">): SessionState => {
    const { call, digest, counted, stage, approval = "", holdUntil = 0, observed, deliver, capability } = checked;
    const open = state.open[call];
    if (!open?.checking) return state;
    const { checking, ...rest } = open;
    const known = { ...checking, ...(digest !== undefined && { digest }), ...(observed && { observed }), ...(deliver && { deliver }) };
    const counts = counted ? withRequested(state.counts, { ...known, call, server: open.server, counted }) : state.counts;
    const next = { ...rest, ...(counted && { counted }), ...(capability && { capability }) };
    if (stage === undefined) return { ...state, counts, open: { ...state.open, [call]: { ...next, checking } } };
    const queued = counted && { queued: queuedAs(known, counted.at + known.timeoutMs) };
    const waits = stage === "asking" ? { asking: { ...known, approval, holdUntil } } : queued;
    return { ...state, counts, open: { ...state.open, [call]: { ...next, ...waits } } };
  },
  "call.admitted": (state: SessionState, { call, server, capability }: Data<"call.admitted">): SessionState => {
    const { queued, asking, checking, ...open } = state.open[call] ?? {};
    return { ...tainted(state, queued ?? asking ?? checking), open: { ...state.open, [call]: { ...open, server, capability } } };
  },
};

export const reactChecks = {
  "call.checked": ({ call, stage, holdUntil = 0 }: Data<"call.checked">, { open }: SessionState): readonly SessionEffect[] => {
    const deadline = open[call]?.queued?.deadline;
    if (stage === "asking") return [{ type: "wake", key: holdKey(call), at: holdUntil }];
    return stage === "queued" && deadline !== undefined ? [{ type: "wake", key: queueKey(call), at: deadline }] : [];
  },
};

/** What it reads is read from now on: by the calls that come, not by itself, and not by a call that was blocked. */
function tainted(state: SessionState, waited: { readonly taints?: Taints | undefined } | undefined): SessionState {
  const taint = withTaint(state.taint, waited?.taints);
  return taint === undefined ? state : { ...state, taint };
}
