/** The order of a session's calls, where its profile asks for one: reads side by side up to a limit, writes one after the other, nothing overtakes. */
import { CallAdmitted } from "../events/admitted.ts";
import { CallAnswered, type CallRequested, CallUnclaimed, type Capability, type ErrorCode } from "../events/call.ts";
import type { EventOf } from "../events/define.ts";
import type { CallLimits, Profile } from "../events/policy.ts";
import { serverOf } from "./catalogue.ts";
import type { TurnContext } from "./define.ts";
import { isLooking, type Target } from "./gates/counts.ts";
import { judge } from "./gates/pipeline.ts";
import { authorise } from "./policy/allow.ts";
import { ofOperation } from "./policy/capability.ts";
import { againOf, profileIn } from "./policy/scope.ts";
import type { Queued, SessionActorEvent, SessionState } from "./session-commands.ts";
import { withTaint } from "./taint.ts";

type Open = SessionState["open"];

/** Whether a call has a place in the order. What looks at calls has none, and neither has what is decided inside its turn. */
export const isOrdered = (target: Target, capability: Capability, isDecided: boolean, { limits }: Profile): boolean =>
  !isDecided && !isLooking(target) && (limits.orderedWrites || (capability === "read" && limits.parallelReads > 0));

const isSent = ({ queued, checking, asking }: Open[string]): boolean => !queued && !checking && !asking;
const runningOf = (open: Open): Capability[] =>
  Object.values(open).flatMap((one) => (one.counted?.order && isSent(one) && !one.waits ? [one.capability] : []));

function fits(running: readonly Capability[], capability: Capability, { parallelReads, orderedWrites }: CallLimits): boolean {
  const reads = running.filter((one) => one === "read").length;
  if (orderedWrites && reads < running.length) return false;
  return capability !== "read" || parallelReads <= 0 || reads < parallelReads;
}

const isQueued = (entry: [string, Open[string]]): entry is [string, Open[string] & { readonly queued: Queued }] =>
  entry[1].queued !== undefined;
/** While hooks are asked about it, a call keeps its place: those that come later find it running. */
const isChecked = ({ counted, checking }: Open[string]): boolean => counted?.order === true && checking !== undefined;
const queuedIn = (open: Open) => Object.entries(open).filter(isQueued);
export const queueLength = (open: Open): number => queuedIn(open).length;

/** Whether a call that comes now has to wait for earlier ones. */
export function mustWait(open: Open, capability: Capability, { limits }: Profile): boolean {
  const checked = Object.values(open).flatMap((one) => (isChecked(one) ? [one.capability] : []));
  return queuedIn(open).length > 0 || !fits([...runningOf(open), ...checked], capability, limits);
}
/** Whether a call that hooks were asked about has to wait for those that came before it, or were sent before it. */
export function mustStillWait(open: Open, call: string, capability: Capability, profile: Profile): boolean {
  const calls = Object.entries(open);
  const place = calls.findIndex(([one]) => one === call);
  return mustWait(Object.fromEntries(calls.filter(([, one], at) => at < place || (at > place && isSent(one)))), capability, profile);
}

/** The session as it will be when the calls before this one, or before a new one, were sent. */
export function afterEarlier<S extends Pick<SessionState, "open" | "taint">>(state: S, call?: string): S {
  const calls = Object.entries(state.open);
  const place = call === undefined ? -1 : calls.findIndex(([one]) => one === call);
  const earlier = (place < 0 ? calls : calls.slice(0, place)).flatMap(([, one]) =>
    one.queued ? (one.queued.taints ?? []) : isChecked(one) ? (one.checking?.taints ?? []) : [],
  );
  const taint = withTaint(state.taint, earlier);
  return taint === state.taint || taint === undefined ? state : { ...state, taint };
}

/** The end of a call that was never sent. */
const unsent = (call: string, { unclaimed, task }: Open[string], code: ErrorCode, reason: string, rule?: string) => {
  const followed = { ...(unclaimed && { unclaimed }), ...(task !== undefined && { task }) };
  return CallAnswered({ call, certainty: "not_applied", code, reason, ...followed, ...(rule !== undefined && { rule }) });
};

/** It is its turn: judged once more by the catalogue of this turn. */
function admit(state: SessionState, call: string, one: Open[string], queued: Queued, { catalogue, now }: TurnContext) {
  if (queued.deadline <= now) return unsent(call, one, "timeout", "its time ran out while earlier calls of the session ran");
  const { name, tool, digest, deadline, via, narrow, observed = {}, covered } = queued;
  const scope = { profile: state.profile, client: state.client, narrow };
  const verdict = authorise(catalogue, name, { ...scope, via });
  const server = verdict.allowed ? serverOf(catalogue, verdict.offer.server) : undefined;
  const refused = (rule: string, reason = "it may not be called any more") => unsent(call, one, "refused", reason, rule);
  if (!verdict.allowed) return refused(verdict.rule);
  const { offer } = verdict;
  if (!server || offer.server !== one.server || offer.tool !== tool) return refused("another-tool");
  const { capability, risk } = ofOperation(server.policy, offer, observed.operation);
  const judged = { call, name, offer, server, capability, risk, observed, digest };
  const { denied, asks } = judge(judged, {
    catalogue,
    profile: profileIn(catalogue.policy, scope),
    scope,
    state: afterEarlier(state, call),
    now,
  });
  if (denied) return refused(denied.rule);
  const uncovered = asks.find(({ rule }) => !covered?.includes(rule));
  if (uncovered) return refused(uncovered.rule, "a person would have to approve it by now; call it again to ask");
  return CallAdmitted({
    call,
    name,
    server: one.server,
    tool,
    capability,
    digest,
    timeoutMs: deadline - now,
    ...(covered && { covered: [...covered] }),
    ...againOf(narrow, observed.operation),
  });
}

/** The calls whose turn it is now that only `open` is left, in the order in which they came. */
export function release(state: SessionState, open: Open, turn: TurnContext): SessionActorEvent[] {
  if (queuedIn(open).length === 0) return [];
  const { limits } = profileIn(turn.catalogue.policy, state);
  const running = runningOf(open);
  const events: SessionActorEvent[] = [];
  for (const entry of Object.entries(open)) {
    const [call, one] = entry;
    if (isChecked(one)) running.push(one.capability);
    if (!isQueued(entry)) continue;
    if (!fits(running, one.capability, limits)) break;
    const event = admit(state, call, one, entry[1].queued, turn);
    if (event.type === "call.admitted") running.push(event.data.capability);
    events.push(event);
  }
  return events;
}

/** The deadline of one call, or the time to see whose turn it is. */
export function wakeQueued(state: SessionState, key: string, turn: TurnContext): SessionActorEvent[] {
  if (key === ORDER_KEY) return release(state, state.open, turn);
  const late = queuedIn(state.open).filter(([call, { queued }]) => queueKey(call) === key && queued.deadline <= turn.now);
  return late.map(([call, one]) => unsent(call, one, "timeout", "its time ran out while earlier calls of the session ran"));
}

/** What becomes of a call that waits when nobody wants it any more. */
export const dropQueued = (call: string, one: Open[string], reason: string) =>
  unsent(call, { ...one, unclaimed: true }, "cancelled", reason);

/** Nobody waits for a call any more; with `cancel` it is to stop. */
export const abandon = (call: string, one: Open[string], cancel: boolean) => [
  CallUnclaimed({ call, cancel }),
  ...(cancel && one.queued ? [dropQueued(call, one, "cancelled while earlier calls of the session ran")] : []),
];

type Known = Pick<Queued, "name" | "tool" | "digest"> & {
  readonly [K in "via" | "narrow" | "observed" | "taints"]?: Queued[K] | undefined;
};
/** What is kept of a call that has to wait, out of what is known of it. */
export const queuedAs = ({ name, tool, digest, via, narrow, observed, taints }: Known, deadline: number): Queued => ({
  name,
  tool,
  digest,
  deadline,
  ...(via && { via }),
  ...(narrow && { narrow }),
  ...(observed && { observed }),
  ...(taints && { taints }),
});
export const queuedOf = (requested: EventOf<typeof CallRequested>["data"]): { queued?: Queued } =>
  requested.stage === "queued" && requested.counted ? { queued: queuedAs(requested, requested.counted.at + requested.timeoutMs) } : {};

export const queueKey = (call: string): string => `queue:${call}`;
/** What did not run frees its place in a turn of its own: a queue of such calls would make one turn too deep. */
export const ORDER_KEY = "order";
