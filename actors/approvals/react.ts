/** What people's decisions cause: timers, questions to people, and commands to the calls that wait. */
import type { AdmittedEvent } from "../../events/admitted.ts";
import type { ApprovalEvent } from "../../events/approval.ts";
import type { Reacting } from "../define.ts";
import { tellDenial } from "../gates/denials.ts";
import type { SessionEffect, SessionState } from "../session-commands.ts";
import { dispatchOf } from "../session-dispatch.ts";
import { queueKey } from "../session-order.ts";
import { approvalKey, holdKey } from "./keys.ts";

type Data<T extends ApprovalEvent["type"]> = Extract<ApprovalEvent, { type: T }>["data"];

export const reactPeople = {
  "call.admitted": (admitted: AdmittedEvent["data"], state: SessionState, reacting: Reacting): readonly SessionEffect[] => [
    { type: "rest", key: holdKey(admitted.call) },
    { type: "rest", key: queueKey(admitted.call) },
    dispatchOf(admitted, state, reacting),
  ],
  "approval.requested": ({ id, call, seats, expiresAt }: Data<"approval.requested">): readonly SessionEffect[] => [
    { type: "wake", key: approvalKey(id), at: expiresAt },
    { type: "askPeople", approval: id, call, seats },
  ],
  "grant.consumed": ({ call, deadline }: Data<"grant.consumed">): readonly SessionEffect[] =>
    deadline === undefined
      ? []
      : [
          { type: "rest", key: holdKey(call) },
          { type: "wake", key: queueKey(call), at: deadline },
        ],
  "approval.resolved": (
    { id, outcome, denial }: Data<"approval.resolved">,
    { open, agent }: SessionState,
    { self, payload }: Reacting,
  ): readonly SessionEffect[] => {
    const waiting = Object.entries(open).filter(([, { asking }]) => asking?.approval === id);
    // An approval has one use: who still waits comes before who has left.
    waiting.sort(([, a], [, b]) => Number(a.unclaimed ?? false) - Number(b.unclaimed ?? false));
    const told = payload !== undefined && { payload };
    const heard = waiting.map(
      ([call]) => ({ type: "tell", to: self, command: { type: "conclude", call, approval: id, outcome, ...told } }) as const,
    );
    return [{ type: "rest", key: approvalKey(id) }, ...tellDenial(agent, denial), ...heard];
  },
};
