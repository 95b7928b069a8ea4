/** Calls whose request is answered before they end: with a question, or as a task; what turns up meanwhile is announced. */
import { CallUnclaimed } from "../events/call.ts";
import { CallClaimed } from "../events/leg.ts";
import { OutcomeNoted, OutcomeTold, SessionBequeathed } from "../events/session.ts";
import { serverAddress, TASKS } from "./address.ts";
import type { TurnContext } from "./define.ts";
import { without } from "./server-rules.ts";
import type { SessionActorEvent, SessionEffect, SessionState } from "./session-commands.ts";
import { observed } from "./session-observed.ts";
import { release } from "./session-order.ts";
import type { WaitsCommand } from "./waits-commands.ts";

type Command<T extends WaitsCommand["type"]> = Extract<WaitsCommand, { readonly type: T }>;

/** An heir takes what turns up late. */
const note = ({ heir }: SessionState, ids: readonly string[]): SessionActorEvent[] => [
  OutcomeNoted({ ids: [...ids] }),
  ...(heir === undefined ? [] : [SessionBequeathed({ to: heir, calls: [...ids] })]),
];

export const decideWaits = {
  observe: observed,
  suspended(state: SessionState, { call, question, task }: Command<"suspended">, turn: TurnContext): SessionActorEvent[] {
    const open = state.open[call];
    if (!open) return [];
    const waits = { ...(question !== undefined && { question }), ...(task !== undefined && { task }) };
    const left = CallUnclaimed({ call, cancel: false, ...waits });
    const freed = open.counted?.order ? release(state, without(state.open, call), turn) : []; // it holds no place in the order
    const unheard = open.unclaimed === true && question !== undefined ? note(state, [question]) : [];
    return [left, ...unheard, ...freed];
  },
  offered: ({ open }: SessionState, { call, task }: Command<"offered">): SessionActorEvent[] =>
    open[call] ? [CallUnclaimed({ call, cancel: false, task, offered: true })] : [],
  claim: ({ open }: SessionState, { call }: Command<"claim">): SessionActorEvent[] =>
    open[call]?.unclaimed ? [CallClaimed({ call })] : [],
  note(state: SessionState, { ids }: Command<"note">): SessionActorEvent[] {
    const fresh = ids.filter((id) => !state.notices.includes(id));
    return fresh.length > 0 ? note(state, fresh) : [];
  },
  told({ notices }: SessionState, { ids, by }: Command<"told">): SessionActorEvent[] {
    const known = ids.filter((id) => notices.includes(id));
    return known.length > 0 ? [OutcomeTold({ ids: known, by })] : [];
  },
};

type Data<T extends SessionActorEvent["type"]> = Extract<SessionActorEvent, { readonly type: T }>["data"];

const MAX_NOTICES = 100;
export const noted = (notices: readonly string[], ids: readonly string[]): string[] =>
  [...new Set([...notices, ...ids])].slice(-MAX_NOTICES);

export const evolveWaits = {
  "session.bequeathed": (state: SessionState, { to, calls }: Data<"session.bequeathed">): SessionState => ({
    ...state,
    heir: to,
    notices: state.notices.filter((call) => !calls.includes(call)),
  }),
  "session.inherited": (state: SessionState, { calls }: Data<"session.inherited">): SessionState => ({
    ...state,
    notices: noted(state.notices, calls),
  }),
  "outcome.noted": (state: SessionState, { ids }: Data<"outcome.noted">): SessionState => ({
    ...state,
    notices: noted(state.notices, ids),
  }),
  "outcome.told": (state: SessionState, { ids }: Data<"outcome.told">): SessionState => ({
    ...state,
    notices: state.notices.filter((id) => !ids.includes(id)),
  }),
  "call.unclaimed": (state: SessionState, { call, question, task, offered }: Data<"call.unclaimed">): SessionState => {
    const known = state.open[call];
    if (!known) return { ...state, notices: noted(state.notices, [call]) };
    const waits = (question !== undefined || task !== undefined) && !offered && { waits: true as const };
    const followed = offered && task !== undefined && { task };
    return { ...state, open: { ...state.open, [call]: { ...known, unclaimed: true, ...waits, ...followed } } };
  },
  "call.claimed": (state: SessionState, { call }: Data<"call.claimed">): SessionState => {
    const known = state.open[call];
    if (!known) return state;
    const { unclaimed: _u, waits: _w, ...open } = known;
    return { ...state, open: { ...state.open, [call]: open } };
  },
};

export const reactWaits = {
  "call.unclaimed": (
    { call, cancel, question, task, offered }: Data<"call.unclaimed">,
    { open }: SessionState,
  ): readonly SessionEffect[] => {
    const known = open[call];
    if (!known) return [];
    const waits = { ...(question !== undefined && { question }), ...(task !== undefined && { task }) };
    if (question !== undefined || task !== undefined) return [{ type: "park", call, ...waits, ...(offered && { offered }) }];
    return cancel && !known.queued
      ? [{ type: "tell", to: serverAddress(known.server), command: { type: "cancel", call, by: "client" } }]
      : [];
  },
  "outcome.told": ({ ids, by }: Data<"outcome.told">): readonly SessionEffect[] => [delivered(ids, by)],
};

/** The task that its client follows is over. What was told with an answer is known when it is written. */
export const reactEnd = ({ task, code }: Data<"call.answered">): readonly SessionEffect[] => {
  if (task === undefined) return [];
  const status = code === "cancelled" ? "cancelled" : "completed";
  return [{ type: "tell", to: TASKS, command: { type: "ended", id: task, status } }];
};
const delivered = (calls: readonly string[], by: string): SessionEffect => ({
  type: "tell",
  to: TASKS,
  command: { type: "delivered", calls, by },
});
