/** Which calls of a server may go out: slots, doubts that stand in the way, and whose turn it is. */
import { CallDispatched, type ServerCallEvent } from "../events/call.ts";
import { BUILTIN, nameOf, serverAddress } from "./address.ts";
import { serverOf } from "./catalogue.ts";
import type { TurnContext } from "./define.ts";
import { authorise } from "./policy/allow.ts";
import { ofOperation } from "./policy/capability.ts";
import { operationRule } from "./policy/operations.ts";
import type { ServerState, Waiting } from "./server-commands.ts";
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
function judgeAgain(state: ServerState, { name, twin: _, scope, operation, ...flight }: Waiting, turn: TurnContext): ServerCallEvent {
  if (flight.deadline <= turn.now) return rejection(flight, "timeout", "its time ran out while it waited");
  const verdict = authorise(turn.catalogue, name, scope && { ...scope, via: "queue" });
  if (!verdict.allowed || serverAddress(verdict.offer.server) !== turn.self || verdict.offer.tool !== flight.tool)
    return rejection(flight, "refused", "it may not be called any more");
  const server = serverOf(turn.catalogue, verdict.offer.server);
  if (!server || (scope && operationRule(turn.catalogue, verdict.offer, server, scope, operation) !== undefined))
    return rejection(flight, "refused", "it may not be called any more");
  const call = { ...flight, capability: ofOperation(server.policy, verdict.offer, operation).capability };
  const { twin, binds } = twinOf(state, call, turn);
  if (twin && binds) return twinRejection(call, twin);
  return CallDispatched({ ...call, ...(twin && { twin: twin.call }), queued: true });
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
