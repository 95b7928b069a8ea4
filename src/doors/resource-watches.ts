/** Sessions that want to hear of resources: what they may, no more than they need, and only as long as they may. */
import type { ServerEntry } from "../../actors/catalogue.ts";
import { notThere } from "../calls/native-answer.ts";
import type { RpcError } from "../calls/open-calls.ts";
import type { Session, Watching } from "../mcp/upstream/backend.ts";

export interface ResourceWatchPorts {
  readonly subscribe: (server: string, uri: string, listener: () => void) => Promise<(() => void) | RpcError>;
  /** Whether the session may still read from it. */
  readonly mayRead: (session: Session, server: ServerEntry) => boolean;
}
export type WatchResource = (session: Session, owner: { server: ServerEntry; uri: string }, heard: () => void) => Promise<Watching>;

const MAX_OF_A_SESSION = 1000;

export function createResourceWatches({ subscribe, mayRead }: ResourceWatchPorts): WatchResource {
  const counts = new Map<string, number>();
  const count = (session: string, change: 1 | -1) => {
    const now = (counts.get(session) ?? 0) + change;
    if (now > 0) counts.set(session, now);
    else counts.delete(session);
  };
  return async (session, { server, uri }, heard) => {
    if ((counts.get(session.id) ?? 0) >= MAX_OF_A_SESSION)
      return notThere(`a session can subscribe to ${MAX_OF_A_SESSION} resources; unsubscribe from some of them first`, {
        code: "overloaded",
      });
    count(session.id, 1);
    const subscribed = await subscribe(server.name, uri, () => {
      if (mayRead(session, server)) heard();
    });
    let isOpen = typeof subscribed === "function";
    if (typeof subscribed !== "function") {
      count(session.id, -1);
      return { ok: false, error: subscribed };
    }
    return {
      ok: true,
      stop() {
        if (isOpen) {
          count(session.id, -1);
          subscribed();
        }
        isOpen = false;
      },
    };
  };
}
