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

type Open = SessionState["open"];

/** Whether a call has a place in the order. What looks at calls has none, and neither has what is decided inside its turn. */
export const isOrdered = (target: Target, capability: Capability, isDecided: boolean, { limits }: Profile): boolean =>
  !isDecided && !isLooking(target) && (limits.orderedWrites || (capability === "read" && limits.parallelReads > 0));

const isSent = ({ queued, checking, asking }: Open[string]): boolean => !queued && !checking && !asking;
const runningOf = (open: Open): Capability[] =>
  Object.values(open).flatMap((one) => (one.counted?.order && isSent(one) ? [one.capability] : []));

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

/** The end of a call that was never sent. */
const unsent = (call: string, { unclaimed }: Open[string], code: ErrorCode, reason: string) =>
  CallAnswered({ call, certainty: "not_applied", code, reason, ...(unclaimed && { unclaimed }) });

/** It is its turn: judged once more by the catalogue of this turn. */
function admit(state: SessionState, call: string, one: Open[string], queued: Queued, { catalogue, now }: TurnContext) {
  if (queued.deadline <= now) return unsent(call, one, "timeout", "its time ran out while earlier calls of the session ran");
  const { name, tool, digest, deadline, via, narrow, operation } = queued;
  const scope = { profile: state.profile, client: state.client, narrow };
  const verdict = authorise(catalogue, name, { ...scope, via });
  const server = verdict.allowed ? serverOf(catalogue, verdict.offer.server) : undefined;
  const refused = unsent(call, one, "refused", "it may not be called any more");
  if (!verdict.allowed || !server || verdict.offer.server !== one.server || verdict.offer.tool !== tool) return refused;
  const { offer } = verdict;
  const { capability, risk } = ofOperation(server.policy, offer, operation);
  const observed = operation === undefined ? {} : { operation };
  const judged = { call, name, offer, server, capability, risk, observed, digest };
  const context = { catalogue, profile: profileIn(catalogue.policy, scope), scope, state, now };
  if (judge(judged, context).denied) return refused;
  return CallAdmitted({
    call,
    name,
    server: one.server,
    tool,
    capability,
    digest,
    timeoutMs: deadline - now,
    ...againOf(narrow, operation),
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

/** What the fold keeps of a call that has to wait. */
export const queuedOf = ({
  stage,
  counted,
  timeoutMs,
  name,
  tool,
  digest,
  via,
  narrow,
  operation,
}: EventOf<typeof CallRequested>["data"]): { queued?: Queued } =>
  stage === "queued" && counted
    ? {
        queued: {
          name,
          tool,
          digest,
          deadline: counted.at + timeoutMs,
          ...(via && { via }),
          ...againOf(narrow, operation),
        },
      }
    : {};

export const queueKey = (call: string): string => `queue:${call}`;
/** What did not run frees its place in a turn of its own: a queue of such calls would make one turn too deep. */
export const ORDER_KEY = "order";
