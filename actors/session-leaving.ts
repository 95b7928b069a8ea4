/** Calls that nobody waits for any more: what becomes of them depends on how far they have come. */
import { CallUnclaimed } from "../events/call.ts";
import type { TurnContext } from "./define.ts";
import { cancelAsking, interruptAsking } from "./session-approvals.ts";
import { endChecking } from "./session-checks.ts";
import type { SessionActorEvent, SessionCommand, SessionState } from "./session-commands.ts";
import { abandon, dropQueued } from "./session-order.ts";

type Command<T extends SessionCommand["type"]> = Extract<SessionCommand, { readonly type: T }>;

export const decideLeaving = {
  leave(state: SessionState, { call }: Command<"leave">): SessionActorEvent[] {
    const left = state.open[call];
    if (left?.checking) return endChecking(state, call, "cancelled", "its client has left before it was sent");
    return left && !left.unclaimed ? abandon(call, left, left.capability === "read" && !left.asking) : [];
  },
  cancel(state: SessionState, { call, by }: Command<"cancel">, turn: TurnContext): SessionActorEvent[] {
    const open = state.open[call];
    if (open?.checking) return endChecking(state, call, "cancelled", `cancelled by ${by}`);
    if (open?.asking) return cancelAsking(state, call, open.asking, turn);
    return open && (!open.unclaimed || open.task !== undefined) ? abandon(call, open, true) : [];
  },
  interrupt: (state: SessionState): SessionActorEvent[] =>
    Object.entries(state.open).flatMap(([call, one]) => {
      const why = "interrupted by a restart before it was sent";
      if (one.asking) return interruptAsking(state, call, one.asking);
      if (one.checking) return endChecking(state, call, "interrupted", why);
      const left = one.unclaimed ? [] : [CallUnclaimed({ call, cancel: false })];
      return one.queued ? [...left, dropQueued(call, one, why)] : left;
    }),
};
