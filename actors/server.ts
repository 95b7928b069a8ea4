/** One downstream server: which calls are in flight, which wait, and which nobody can tell the outcome of. */
import {
  CallCancelling,
  CallDispatched,
  CallQueued,
  CallRejected,
  CallResolved,
  CallSettled,
  type ServerCallEvent,
} from "../events/call.ts";
import { ServerConnected, type ServerConnectionEvent, ServerDisconnected } from "../events/server.ts";
import { BUILTIN, nameOf, serverAddress, sessionAddress } from "./address.ts";
import { type Catalogue, serverOf } from "./catalogue.ts";
import { defineActor, type TurnContext } from "./define.ts";
import { authorise } from "./policy/allow.ts";
import type { ServerCommand, ServerEffect, ServerState } from "./server-commands.ts";
import { findTwin, interruption, rejection, without } from "./server-rules.ts";

type Event = ServerCallEvent | ServerConnectionEvent;

const isReady = (state: ServerState, self: string) => state.connected || self === serverAddress(BUILTIN);
const limitsOf = ({ limits }: Catalogue) => limits;

/** The waiting calls that may go out now that `free` slots are free: each is judged again against the catalogue of this turn. */
function release(state: ServerState, free: number, { now, catalogue }: TurnContext): Event[] {
  const events: Event[] = [];
  for (const { name, ...flight } of state.waiting) {
    if (free <= 0) break;
    if (flight.deadline <= now) events.push(rejection(flight, "timeout", "its time ran out while it waited"));
    else if (!authorise(catalogue, name).allowed) events.push(rejection(flight, "refused", "it may not be called any more"));
    else {
      events.push(CallDispatched({ ...flight, queued: true }));
      free--;
    }
  }
  return events;
}

export const Server = defineActor<ServerState, ServerCommand, Event, ServerEffect>({
  kind: "server",
  shape: 1,
  initialState: { id: "", connected: false, inFlight: {}, waiting: [], inDoubt: {} },
  decide: {
    dispatch: (state, { type: _, timeoutMs, deliver, name, payload, ...call }, { now, self, catalogue }) => {
      const { slotsPerServer, waitingPerServer, twinMs } = limitsOf(catalogue);
      const twin = call.capability === "mutating" ? findTwin(state, call, now - twinMs) : undefined;
      const isHarmless = serverOf(catalogue, nameOf(self))?.offers.get(call.tool)?.readOnlyHint === true;
      if (twin && twin.agent === call.agent && !isHarmless)
        return [CallRejected({ call: call.call, session: call.session, code: "in_doubt", twin: twin.call, since: twin.since })];
      const flight = { ...call, deadline: now + timeoutMs, ...(twin && { twin: twin.call }) };
      const ready = isReady(state, self);
      if (ready && Object.keys(state.inFlight).length < slotsPerServer)
        return [deliver ? CallDispatched({ ...flight, deliver }, payload) : CallDispatched(flight)];
      if (state.waiting.length >= waitingPerServer) return [rejection(flight, "overloaded", "too many calls wait for this server")];
      return [CallQueued({ ...flight, name, reason: ready ? "slots" : "connecting" })];
    },
    return: (state, { type: _, payload, ...outcome }, turn) => {
      const flight = state.inFlight[outcome.call];
      if (!flight) {
        const doubt = state.inDoubt[outcome.call];
        if (!doubt || outcome.certainty === "in_doubt") return [];
        return [CallResolved({ call: doubt.call, session: doubt.session, outcome: outcome.certainty, by: "server" }, payload)];
      }
      const { session, capability, twin } = flight;
      const settled = CallSettled(
        {
          ...outcome,
          session,
          capability,
          ...(twin !== undefined && { twin }),
          ...(outcome.certainty === "in_doubt" && { since: turn.now }),
        },
        payload,
      );
      const answered =
        capability === "idempotent" && outcome.certainty === "answered"
          ? Object.values(state.inDoubt).filter(({ tool, digest }) => tool === flight.tool && digest === flight.digest)
          : [];
      const lifted = answered.map((doubt) => CallResolved({ call: doubt.call, session: doubt.session, outcome: "answered", by: "repeat" }));
      const free = limitsOf(turn.catalogue).slotsPerServer - Object.keys(state.inFlight).length + 1;
      return state.waiting.length > 0 && isReady(state, turn.self)
        ? [settled, ...lifted, ...release(state, free, turn)]
        : [settled, ...lifted];
    },
    cancel: (state, { call, by }) => {
      const waiting = state.waiting.find((flight) => flight.call === call);
      if (waiting) return [rejection(waiting, "cancelled", `cancelled by ${by}`)];
      return state.inFlight[call] ? [CallCancelling({ call, by })] : [];
    },
    resolve: (state, { call, outcome, by, payload }) => {
      const doubt = state.inDoubt[call];
      return doubt ? [CallResolved({ call, session: doubt.session, outcome, by }, payload)] : [];
    },
    interrupt: (state, _, { now }) => [
      ...Object.values(state.inFlight).map((flight) => interruption(flight, now)),
      ...state.waiting.map((flight) => rejection(flight, "cancelled", "interrupted by a restart before it was sent")),
      ...(state.connected ? [ServerDisconnected({ id: state.id, reason: "restart" })] : []),
    ],
    wake: ({ waiting }, { key }, { now }) =>
      waiting
        .filter(({ call, deadline }) => call === key && deadline <= now)
        .map((flight) => rejection(flight, "timeout", "its time ran out while it waited")),
    connected: (state, { type: _, ...introduction }, turn) => [
      ServerConnected(introduction),
      ...release(state, limitsOf(turn.catalogue).slotsPerServer - Object.keys(state.inFlight).length, turn),
    ],
    disconnected: ({ connected, id }, { reason }) => (connected ? [ServerDisconnected({ id, reason })] : []),
    unreachable: ({ connected, waiting }, { reason }) =>
      connected ? [] : waiting.map((flight) => rejection(flight, "not_connected", reason)),
  },
  evolve: {
    "call.dispatched": (state, { queued, deliver: _, ...flight }) => ({
      ...state,
      inFlight: { ...state.inFlight, [flight.call]: flight },
      waiting: queued ? state.waiting.filter(({ call }) => call !== flight.call) : state.waiting,
    }),
    "call.queued": (state, { reason: _, ...flight }) => ({ ...state, waiting: [...state.waiting, flight] }),
    "call.rejected": (state, { call }) =>
      state.waiting.some((flight) => flight.call === call)
        ? { ...state, waiting: state.waiting.filter((flight) => flight.call !== call) }
        : state,
    "call.cancelling": (state) => state,
    "call.settled": (state, { call, certainty, code, since }) => {
      const flight = state.inFlight[call];
      const inDoubt =
        certainty === "in_doubt" && flight
          ? { ...state.inDoubt, [call]: { ...flight, since: since ?? flight.deadline, code: code ?? "in_doubt" } }
          : state.inDoubt;
      return { ...state, inFlight: without(state.inFlight, call), inDoubt };
    },
    "call.resolved": (state, { call }) => ({ ...state, inDoubt: without(state.inDoubt, call) }),
    "server.connected": (state, { id }) => ({ ...state, id, connected: true }),
    "server.disconnected": (state) => ({ ...state, connected: false }),
  },
  react: {
    "call.dispatched": ({ call, session, tool, capability, deadline, deliver }, _, { self, payload }) =>
      deliver
        ? [
            { type: "tell", to: deliver.to, command: payload === undefined ? deliver.command : { ...deliver.command, payload } },
            { type: "tell", to: self, command: { type: "return", call, certainty: "answered" } },
          ]
        : [{ type: "invoke", call, session, server: nameOf(self), tool, capability, deadline }],
    "call.queued": ({ call, deadline, reason }, _, { self }) => [
      { type: "wake", key: call, at: deadline },
      ...(reason === "connecting" ? [{ type: "connect", server: nameOf(self) } as const] : []),
    ],
    "call.rejected": ({ session, ...rejected }) => [
      { type: "tell", to: sessionAddress(session), command: { type: "settle", certainty: "not_applied", ...rejected } },
    ],
    "call.settled": ({ session, capability: _c, ...settled }) => [
      { type: "tell", to: sessionAddress(session), command: { type: "settle", ...settled } },
    ],
    "call.resolved": ({ session, call, by }) => [{ type: "tell", to: sessionAddress(session), command: { type: "resolved", call, by } }],
    "call.cancelling": ({ call }) => [{ type: "cancel", call }],
  },
  recover: ({ inFlight, waiting, connected }) =>
    connected || waiting.length > 0 || Object.keys(inFlight).length > 0 ? [{ type: "interrupt" }] : [],
  isQuiet: () => false,
});
