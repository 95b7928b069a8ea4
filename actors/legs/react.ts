/** What follows from a server's questions: answers, an entry in the ledger, a further request. */
import type { ServerLegEvent } from "../../events/leg.ts";
import { nameOf, QUESTIONS, sessionAddress, TASKS } from "../address.ts";
import type { Reacting } from "../define.ts";
import type { ServerEffect, ServerState } from "../server-commands.ts";
import { flightOf } from "./evolve.ts";

type Data<T extends ServerLegEvent["type"]> = Extract<ServerLegEvent, { readonly type: T }>["data"];

export const reactLegs = {
  "call.questioned": (asked: Data<"call.questioned">, state: ServerState, { self, payload }: Reacting): readonly ServerEffect[] => {
    const { call, question, name, way, source, round, questions, task } = asked;
    const flight = flightOf(state, call);
    if (!flight) return [];
    const { session, agent, tool } = flight;
    const server = nameOf(self);
    // A person of the client's or an operator is waited for while the call is open, and so is nobody.
    const respond = { type: "respond", call, session, server, asked } as const;
    if (question === undefined) return [respond];
    const named = { ...(name !== undefined && { name }), ...(task !== undefined && { task }) };
    const about = { id: question, call, session, agent, server, tool, way, source, round, ...named };
    const open = { type: "open", ...about, questions, deadline: flight.deadline, payload };
    return [{ type: "tell", to: QUESTIONS, command: open }, ...(way === "operator" ? [respond] : [])];
  },
  "call.suspended": ({ session, ...waits }: Data<"call.suspended">, { suspended }: ServerState): readonly ServerEffect[] => {
    const { call, task } = waits;
    const by = suspended[call]?.cancelling; // before it became a task
    const stop = { type: "tell", to: TASKS, command: { type: "cancel", id: task, by } } as const;
    return [
      { type: "tell", to: sessionAddress(session), command: { type: "suspended", ...waits } },
      ...(task !== undefined && by !== undefined ? [stop] : []),
    ];
  },
  "call.resumed": (resumed: Data<"call.resumed">, state: ServerState, { self }: Reacting): readonly ServerEffect[] => {
    const { call, session, capability, leg, deadline, claimed } = resumed;
    const { tool, filled } = state.inFlight[call] ?? {};
    if (tool === undefined || leg === undefined || deadline === undefined) return [];
    const going = {
      type: "invoke",
      call,
      session,
      server: nameOf(self),
      tool,
      capability,
      deadline,
      leg,
      ...(filled && { filled }),
    } as const;
    return claimed ? [{ type: "tell", to: sessionAddress(session), command: { type: "claim", call } }, going] : [going];
  },
};
