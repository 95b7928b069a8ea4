/** How calls that their server interrupts are folded: what it asked, what they wait for, and how often they went out. */
import type { ServerLegEvent } from "../../events/leg.ts";
import type { InFlight, ServerState } from "../server-commands.ts";
import { without } from "../server-rules.ts";

/** In flight, or waiting for a question or a task. */
export const flightOf = (state: ServerState, call: string): InFlight | undefined => state.inFlight[call] ?? state.suspended[call];

function change(state: ServerState, call: string, more: (flight: InFlight) => InFlight): ServerState {
  const within = (flights: ServerState["inFlight"]) => {
    const flight = flights[call];
    return flight ? { ...flights, [call]: more(flight) } : flights;
  };
  return { ...state, inFlight: within(state.inFlight), suspended: within(state.suspended) };
}

type Data<T extends ServerLegEvent["type"]> = Extract<ServerLegEvent, { readonly type: T }>["data"];

export const evolveLegs = {
  "call.questioned": (state: ServerState, asked: Data<"call.questioned">): ServerState =>
    [asked.call, ...(asked.also ?? [])].reduce(
      (next, call) =>
        change(next, call, (flight) => {
          const isAgain = flight.asked !== undefined && flight.rounds === asked.round; // the same round, treated in another way
          return { ...flight, asked, rounds: asked.round, questions: (flight.questions ?? 0) + (isAgain ? 0 : asked.questions.length) };
        }),
      state,
    ),
  "call.suspended": (state: ServerState, { call, question, task }: Data<"call.suspended">): ServerState => {
    const flight = state.inFlight[call];
    if (!flight) return state;
    const waits = { ...(question !== undefined && { question }), ...(task !== undefined && { task }) };
    return { ...state, inFlight: without(state.inFlight, call), suspended: { ...state.suspended, [call]: { ...flight, ...waits } } };
  },
  "call.resumed": (state: ServerState, { call, also = [], leg, deadline }: Data<"call.resumed">): ServerState => {
    const answered = [call, ...also].reduce((next, one) => change(next, one, ({ asked: _, ...flight }) => flight), state);
    const waited = flightOf(answered, call);
    if (!waited || leg === undefined || deadline === undefined) return answered;
    const { question: _, ...flight } = waited;
    const inFlight = { ...answered.inFlight, [call]: { ...flight, legs: leg, deadline } };
    return { ...answered, suspended: without(answered.suspended, call), inFlight };
  },
};
