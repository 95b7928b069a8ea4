/** Which calls of a server may go out: slots, doubts that stand in the way, and whose turn it is. */
import { CallDispatched, type ServerCallEvent } from "../events/call.ts";
import { BUILTIN, nameOf, serverAddress } from "./address.ts";
import { serverOf } from "./catalogue.ts";
import type { TurnContext } from "./define.ts";
import { judgeAlone } from "./gates/pipeline.ts";
import { authorise } from "./policy/allow.ts";
import { ofOperation } from "./policy/capability.ts";
import { operationRule } from "./policy/operations.ts";
import { profileIn } from "./policy/scope.ts";
import type { JudgedAgain, ServerState, Waiting } from "./server-commands.ts";
import { type Asked, findTwin, rejection, twinRejection } from "./server-rules.ts";

export const isReady = (state: ServerState, self: string): boolean => state.connected || self === serverAddress(BUILTIN);

/** A call whose server waits for an answer holds none. */
function takenSlots({ inFlight }: ServerState): number {
  let taken = 0;
  for (const call in inFlight) if (inFlight[call]?.asked === undefined) taken++;
  return taken;
}

export const freeSlots = (state: ServerState, { catalogue }: TurnContext): number => catalogue.limits.slotsPerServer - takenSlots(state);

/** The doubt that stands in the way of a call, or that it is let past with a notice. */
export function twinOf(state: Pick<ServerState, "inDoubt">, call: Asked, { now, self, catalogue }: TurnContext) {
  const twin = call.capability === "mutating" ? findTwin(state, call, now - catalogue.limits.twinMs) : undefined;
  const isHarmless = serverOf(catalogue, nameOf(self))?.offers.get(call.tool)?.readOnlyHint === true;
  return { twin, binds: twin !== undefined && twin.agent === call.agent && !isHarmless };
}

/** What a waiting call comes to now, judged again against the catalogue and the doubts of this turn. */
function judgeAgain(
  state: ServerState,
  { name, twin: _, scope, operation, covered: _c, ...flight }: Waiting,
  turn: TurnContext,
): ServerCallEvent {
  if (flight.deadline <= turn.now) return rejection(flight, "timeout", "its time ran out while it waited");
  const verdict = authorise(turn.catalogue, name, scope && { ...scope, via: "queue" });
  const refused = (rule: string) => rejection(flight, "refused", "it may not be called any more", rule);
  if (!verdict.allowed) return refused(verdict.rule);
  const server = serverOf(turn.catalogue, verdict.offer.server);
  if (!server || serverAddress(verdict.offer.server) !== turn.self || verdict.offer.tool !== flight.tool) return refused("another-tool");
  const rule = scope && operationRule(turn.catalogue, verdict.offer, server, scope, operation);
  if (rule !== undefined) return refused(rule);
  const call = { ...flight, capability: ofOperation(server.policy, verdict.offer, operation).capability };
  const { twin, binds } = twinOf(state, call, turn);
  if (twin && binds) return twinRejection(call, twin);
  return CallDispatched({ ...call, ...(twin && { twin: twin.call }), queued: true });
}

/** The rules have changed while a call waited: it ends if they would not let it pass. What its session did is not looked at again. */
export function standing(
  { waiting }: ServerState,
  { call, scope, observed = {} }: { readonly call: string } & JudgedAgain,
  { self, catalogue }: TurnContext,
): ServerCallEvent[] {
  const flight = waiting.find((one) => one.call === call);
  const server = serverOf(catalogue, nameOf(self));
  const offer = flight && catalogue.names.get(flight.name);
  if (!flight || !server || !offer || offer.tool !== flight.tool) return []; // judged when its turn comes
  const { name, digest, covered = [] } = flight;
  const judged = { call, name, offer, server, observed, digest, ...ofOperation(server.policy, offer, observed.operation) };
  const profile = profileIn(catalogue.policy, scope);
  const { denied, asks } = judgeAlone(judged, { catalogue, profile, scope });
  if (denied) return [rejection(flight, denied.code ?? "refused", "the policy has changed since it was asked for", denied.rule)];
  const uncovered = asks.find(({ rule }) => !covered.includes(rule));
  return uncovered ? [rejection(flight, "refused", "a person would have to approve it by now; call it again to ask", uncovered.rule)] : [];
}

/** The waiting calls that may go out in this state. */
export function release(state: ServerState, turn: TurnContext): ServerCallEvent[] {
  if (state.waiting.length === 0) return [];
  const events: ServerCallEvent[] = [];
  let free = freeSlots(state, turn);
  for (const waiting of state.waiting) {
    if (free <= 0) break;
    const event = judgeAgain(state, waiting, turn);
    events.push(event);
    if (event.type === "call.dispatched") free--;
  }
  return events;
}
