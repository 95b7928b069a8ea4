/** A call that has not been sent yet, and where it waits. */
import { serverAddress, sessionAddress } from "../../actors/address.ts";
import type { ServerState } from "../../actors/server-commands.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { OpenCall } from "./open-calls.ts";

export interface Unsent {
  /** The address of its session, where it waits for hooks, for people or for its turn, or of the server that it queues for. */
  readonly at: string;
  /** People have approved it for these rules. */
  readonly covered: readonly string[];
}

/** `server`: whose queue to look in, unless it is the one the call was asked of. Undefined: it waits nowhere. */
export function unsentOf(
  { stateOf }: Pick<Runtime, "stateOf">,
  { id, session }: Pick<OpenCall, "id" | "session">,
  server?: string,
): Unsent | undefined {
  const open = (stateOf(sessionAddress(session)) as SessionState).open[id];
  const { checking, asking, queued } = open ?? {};
  if (checking ?? asking ?? queued) return { at: sessionAddress(session), covered: queued?.covered ?? [] };
  const name = server ?? open?.server;
  if (!name) return undefined;
  const at = serverAddress(name);
  const waiting = (stateOf(at) as ServerState).waiting.find(({ call }) => call === id);
  return waiting && { at, covered: waiting.covered ?? [] };
}
