/** One downstream server: which calls are in flight, which wait, and which nobody can tell the outcome of. */
import { CallCancelling, CallDispatched, CallQueued, CallResolved, CallSettled, type ServerCallEvent } from "../events/call.ts";
import type { ServerLegEvent } from "../events/leg.ts";
import type { RepeatEvent } from "../events/repeat.ts";
import { ServerConnected, type ServerConnectionEvent, ServerDisconnected } from "../events/server.ts";
import { nameOf, QUESTIONS, sessionAddress, TASKS } from "./address.ts";
import { defineActor } from "./define.ts";
import { decideLegs } from "./legs/decide.ts";
import { evolveLegs, flightOf } from "./legs/evolve.ts";
import { reactLegs } from "./legs/react.ts";
import { repetition } from "./repeat.ts";
import type { InFlight, ServerCommand, ServerEffect, ServerState } from "./server-commands.ts";
import { freeSlots, isReady, release, standing, twinOf } from "./server-queue.ts";
import { interruption, rejection, twinRejection, without } from "./server-rules.ts";

type Event = ServerCallEvent | ServerLegEvent | RepeatEvent | ServerConnectionEvent;

/** The state with more known of a call in flight. */
function change(state: ServerState, call: string, more: (flight: InFlight) => Partial<InFlight>): ServerState {
  const flight = state.inFlight[call];
  return flight ? { ...state, inFlight: { ...state.inFlight, [call]: { ...flight, ...more(flight) } } } : state;
}

export const Server = defineActor<ServerState, ServerCommand, Event, ServerEffect>({
  kind: "server",
  shape: 4,
  initialState: { id: "", connected: false, inFlight: {}, suspended: {}, waiting: [], inDoubt: {} },
  decide: {
    dispatch: (state, { type: _, timeoutMs, deliver, name, payload, scope, operation, covered, ...call }, turn) => {
      const { waitingPerServer } = turn.catalogue.limits;
      const { twin, binds } = twinOf(state, call, turn);
      if (twin && binds) return [twinRejection(call, twin)];
      const flight = { ...call, deadline: turn.now + timeoutMs, ...(twin && { twin: twin.call }) };
      if (deliver) return [CallDispatched({ ...flight, deliver }, payload)]; // decided inside the turn: it needs no slot
      const ready = isReady(state, turn.self);
      if (ready && freeSlots(state, turn) > 0) return [CallDispatched(flight)];
      if (state.waiting.length >= waitingPerServer) return [rejection(flight, "overloaded", "too many calls wait for this server")];
      const again = { ...(scope && { scope }), ...(operation !== undefined && { operation }), ...(covered && { covered: [...covered] }) };
      return [CallQueued({ ...flight, name, reason: ready ? "slots" : "connecting", ...again })];
    },
    return: (state, { type: _, fill, again, payload, ...outcome }, turn) => {
      const flight = flightOf(state, outcome.call);
      if (!flight) {
        const doubt = state.inDoubt[outcome.call];
        if (!doubt || outcome.certainty === "in_doubt") return [];
        return [CallResolved({ call: doubt.call, session: doubt.session, outcome: outcome.certainty, by: "server" }, payload)];
      }
      const repeat = fill && again && outcome.certainty !== "in_doubt" && repetition(flight, fill, again, turn, payload);
      if (repeat) return [repeat];
      const { session, capability, twin } = flight;
      const isDoubt = outcome.certainty === "in_doubt";
      const settled = CallSettled(
        { ...outcome, session, capability, ...(twin !== undefined && { twin }), ...(isDoubt && { since: turn.now }) },
        payload,
      );
      const isAnswered = capability === "idempotent" && outcome.certainty === "answered";
      const lifted = isAnswered
        ? Object.values(state.inDoubt).filter(({ tool, digest }) => tool === flight.tool && digest === flight.digest)
        : [];
      const events: Event[] = [
        settled,
        ...lifted.map((doubt) => CallResolved({ call: doubt.call, session: doubt.session, outcome: "answered", by: "repeat" })),
      ];
      if (state.waiting.length === 0 || !isReady(state, turn.self)) return events;
      // Whoever waits is judged by what is true after this outcome: it may be the twin of a doubt that has just begun.
      const begun = isDoubt ? { [flight.call]: { ...flight, since: turn.now, code: outcome.code ?? "in_doubt" } } : {};
      const inDoubt = lifted.reduce((doubts, { call }) => without(doubts, call), { ...state.inDoubt, ...begun });
      return [...events, ...release({ ...state, inFlight: without(state.inFlight, flight.call), inDoubt }, turn)];
    },
    observe: standing,
    cancel: (state, { call, by }) => {
      const waiting = state.waiting.find((flight) => flight.call === call);
      if (waiting) return [rejection(waiting, "cancelled", `cancelled by ${by}`)];
      return flightOf(state, call) ? [CallCancelling({ call, by })] : [];
    },
    resolve: (state, { call, outcome, by, payload }) => {
      const doubt = state.inDoubt[call];
      return doubt ? [CallResolved({ call, session: doubt.session, outcome, by }, payload)] : [];
    },
    ...decideLegs,
    interrupt: (state, _, { now }) => [
      ...Object.values(state.inFlight).map((flight) => interruption(flight, now)),
      ...state.waiting.map((flight) => rejection(flight, "cancelled", "interrupted by a restart before it was sent")),
      ...(state.connected ? [ServerDisconnected({ id: state.id, reason: "restart" })] : []),
    ],
    wake: ({ waiting }, { key }, { now }) =>
      waiting
        .filter(({ call, deadline }) => call === key && deadline <= now)
        .map((flight) => rejection(flight, "timeout", "its time ran out while it waited")),
    connected: (state, { type: _, ...introduction }, turn) => [ServerConnected(introduction), ...release(state, turn)],
    disconnected: ({ connected, id }, { reason }) => (connected ? [ServerDisconnected({ id, reason })] : []),
    unreachable: ({ connected, waiting }, { reason, code }) =>
      connected ? [] : waiting.map((flight) => rejection(flight, code ?? "not_connected", reason)),
  },
  evolve: {
    "call.dispatched": (state, { queued, deliver: _, ...flight }) => ({
      ...state,
      inFlight: { ...state.inFlight, [flight.call]: flight },
      waiting: queued ? state.waiting.filter(({ call }) => call !== flight.call) : state.waiting,
    }),
    "call.repeated": (state, { call, field, value }) => change(state, call, (flight) => ({ filled: { ...flight.filled, [field]: value } })),
    "call.queued": (state, { reason: _, ...flight }) => ({ ...state, waiting: [...state.waiting, flight] }),
    "call.rejected": (state, { call }) =>
      state.waiting.some((flight) => flight.call === call)
        ? { ...state, waiting: state.waiting.filter((flight) => flight.call !== call) }
        : state,
    "call.cancelling": (state, { call, by }) => change(state, call, () => ({ cancelling: by })),
    "call.settled": (state, { call, certainty, code, since }) => {
      const flight = flightOf(state, call);
      const inDoubt =
        certainty === "in_doubt" && flight
          ? { ...state.inDoubt, [call]: { ...flight, since: since ?? flight.deadline, code: code ?? "in_doubt" } }
          : state.inDoubt;
      return { ...state, inFlight: without(state.inFlight, call), suspended: without(state.suspended, call), inDoubt };
    },
    ...evolveLegs,
    "call.resolved": (state, { call }) => ({ ...state, inDoubt: without(state.inDoubt, call) }),
    "server.connected": (state, { id }) => ({ ...state, id, connected: true }),
    "server.disconnected": (state) => ({ ...state, connected: false }),
  },
  react: {
    "call.dispatched": ({ call, session, tool, capability, deadline, deliver, queued }, _, { self, payload }) =>
      deliver
        ? [
            { type: "tell", to: deliver.to, command: payload === undefined ? deliver.command : { ...deliver.command, payload } },
            { type: "tell", to: self, command: { type: "return", call, certainty: "answered", payload: deliver.result } },
          ]
        : [
            { type: "invoke", call, session, server: nameOf(self), tool, capability, deadline },
            ...(queued ? [{ type: "rest", key: call } as const] : []),
          ],
    "call.repeated": ({ call, session, capability }, { inFlight }, { self }) => {
      const flight = inFlight[call];
      if (!flight) return [];
      const { tool, deadline, filled = {} } = flight;
      return [{ type: "invoke", call, session, server: nameOf(self), tool, capability, deadline, filled }];
    },
    "call.queued": ({ call, deadline, reason }, _, { self }) => [
      { type: "wake", key: call, at: deadline },
      ...(reason === "connecting" ? [{ type: "connect", server: nameOf(self) } as const] : []),
    ],
    "call.rejected": ({ session, ...rejected }) => [
      { type: "rest", key: rejected.call },
      { type: "tell", to: sessionAddress(session), command: { type: "settle", certainty: "not_applied", ...rejected } },
    ],
    "call.settled": ({ session, capability: _c, task, ...settled }) => [
      { type: "tell", to: sessionAddress(session), command: { type: "settle", ...settled } },
      ...(task ? [{ type: "tell", to: TASKS, command: { type: "ended", ...task, reason: settled.reason } } as const] : []),
    ],
    "call.resolved": ({ session, call, outcome, by }) => [
      { type: "tell", to: sessionAddress(session), command: { type: "resolved", call, outcome, by } },
    ],
    "call.cancelling": ({ call, by }, { suspended }) => {
      const { question, task } = suspended[call] ?? {};
      if (question !== undefined)
        return [{ type: "tell", to: QUESTIONS, command: { type: "cancel", id: question, reason: `cancelled by ${by}` } }];
      if (task !== undefined) return [{ type: "tell", to: TASKS, command: { type: "cancel", id: task, by } }];
      return [{ type: "cancel", call }];
    },
    ...reactLegs,
  },
  recover: ({ inFlight, waiting, connected }) =>
    connected || waiting.length > 0 || Object.keys(inFlight).length > 0 ? [{ type: "interrupt" }] : [],
  isQuiet: () => false,
});
