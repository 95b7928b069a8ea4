/** The resources of one server that somebody wants to hear of, over every connection to come. */
import type { CallOutcome, Downstream } from "../mcp/downstream/downstream.ts";

export interface Subscriptions {
  /** Until `unsubscribe`; forgotten when the server refuses. Never reject. */
  subscribe(uri: string): Promise<CallOutcome>;
  unsubscribe(uri: string): Promise<CallOutcome>;
  /** On a connection that was made anew; what changed meanwhile nobody can tell. */
  renew(downstream: Downstream, onPerhapsChanged: (uri: string) => void): void;
}

const NOT_CONNECTED: CallOutcome = { kind: "not_sent", reason: "not connected" };

export function createSubscriptions(current: () => Downstream | undefined): Subscriptions {
  const subscribed = new Set<string>();
  return {
    async subscribe(uri) {
      subscribed.add(uri);
      const outcome = (await current()?.subscribe(uri)) ?? NOT_CONNECTED;
      if (outcome.kind === "rpc_error") subscribed.delete(uri);
      return outcome;
    },
    async unsubscribe(uri) {
      subscribed.delete(uri);
      return (await current()?.unsubscribe(uri)) ?? NOT_CONNECTED;
    },
    renew(downstream, onPerhapsChanged) {
      for (const uri of subscribed) void downstream.subscribe(uri).then(() => onPerhapsChanged(uri));
    },
  };
}
