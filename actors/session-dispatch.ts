/** A call that may go out is told to its server, with what it is judged by once more if it has to wait there. */
import type { AdmittedEvent } from "../events/admitted.ts";
import type { CallRequested } from "../events/call.ts";
import type { EventOf } from "../events/define.ts";
import { nameOf, serverAddress } from "./address.ts";
import { holdKey } from "./approvals/keys.ts";
import type { Reacting } from "./define.ts";
import { againOf } from "./policy/scope.ts";
import type { SessionEffect, SessionState } from "./session-commands.ts";
import { queueKey } from "./session-order.ts";

type Going = Omit<AdmittedEvent["data"], "grant"> & Pick<EventOf<typeof CallRequested>["data"], "verdicts">;

/** For which rules people have approved it: it goes out, so whoever wanted to ask has an answer. */
const coveredOf = ({ covered, verdicts = [] }: Going): readonly string[] =>
  covered ?? verdicts.flatMap(({ outcome, rule }) => (outcome === "ask" ? [rule] : []));

/** `payload` goes with what is decided inside the turn. */
export function dispatchOf(going: Going, { agent, profile, client }: SessionState, { self, payload }: Reacting): SessionEffect {
  const { server, narrow, operation, deliver, call, name, tool, capability, digest, timeoutMs } = going;
  const again = { scope: { profile, client, ...(narrow && { narrow }) }, ...againOf(undefined, operation) };
  const covered = coveredOf(going);
  const decided = deliver && { deliver, ...(payload !== undefined && { payload }) };
  const command = { type: "dispatch", session: nameOf(self), agent, call, name, tool, capability, digest, timeoutMs, ...again, ...decided };
  const approved = covered.length > 0 && { covered };
  return { type: "tell", to: serverAddress(server), command: { ...command, ...approved } };
}

export function reactRequested(
  requested: EventOf<typeof CallRequested>["data"],
  state: SessionState,
  reacting: Reacting,
): readonly SessionEffect[] {
  const { stage, hooks = [], counted, holdUntil = 0, call, timeoutMs } = requested;
  if (stage === "checking") return [{ type: "consult", call, hooks }];
  if (stage === "asking") return [{ type: "wake", key: holdKey(call), at: holdUntil }];
  if (stage && counted) return [{ type: "wake", key: queueKey(call), at: counted.at + timeoutMs }];
  return [dispatchOf(requested, state, reacting)];
}
