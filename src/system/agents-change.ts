/** Agents that the configuration takes away or gives another profile, while calls of theirs have not been sent yet. */
import { sessionAddress } from "../../actors/address.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import type { OpenCall } from "../calls/open-calls.ts";
import { unsentOf } from "../calls/unsent.ts";
import type { Loaded } from "../config/load.ts";
import type { Command } from "../runtime/event-log.ts";
import type { Kernel } from "./kernel.ts";

type Agents = Loaded["config"]["agents"];
const DEFAULT = "default";
type Ports = Pick<Kernel, "runtime" | "openCalls">;

/** Nothing more is sent for an agent that is gone; a call of one with another profile is judged by that. To be followed, in the same breath, by the new rules. */
export function changeAgents({ runtime, openCalls }: Ports, before: Agents, now: Agents): void {
  const entryOf = (agents: Agents, agent: string) => agents.find(({ name }) => name === agent);
  const stateOf = (call: OpenCall) => runtime.stateOf(sessionAddress(call.session)) as SessionState;
  const tell = (call: OpenCall, command: Command) => void runtime.enter(sessionAddress(call.session), command).catch(() => undefined); // recorded as turn.failed
  for (const call of openCalls.all()) {
    const entry = entryOf(now, call.agent);
    const was = entryOf(before, call.agent);
    if (!was || !unsentOf(runtime, call)) continue;
    const profile = entry?.profile ?? DEFAULT;
    if (!entry) tell(call, { type: "cancel", call: call.id, by: "the configuration: its agent is gone" });
    else if (profile !== (was.profile ?? DEFAULT) && profile !== stateOf(call).profile) tell(call, { type: "adopt", profile });
  }
}
