/** Modern subscriptions to resources over one byte stream: what the SDK acknowledges is asked for first, and told of by us. */
import { type JSONRPCNotification, SUBSCRIPTION_ID_META_KEY } from "@modelcontextprotocol/server";
import type { Session, Surface } from "./backend.ts";
import { isRequestId } from "./json.ts";
import type { RequestId } from "./rpc.ts";
import { openWatches, resourcesIn, type Watches, withResources } from "./watches.ts";

export interface StreamWatches {
  /** Sees every notification of the SDK's server; true when it will be written here. */
  take(message: JSONRPCNotification): boolean;
  /** The client does not want this subscription any more. */
  cancel(id: unknown): void;
  /** The stream is over. */
  close(): void;
}
interface Subscription {
  /** The client has been told what it will hear of. */
  acknowledged: Promise<void>;
  watches?: Watches;
  over: boolean;
}

export function createStreamWatches(surface: Surface, session: () => Session | undefined, write: (text: string) => void): StreamWatches {
  const subscriptions = new Map<RequestId, Subscription>();

  const end = (id: RequestId) => {
    const subscription = subscriptions.get(id);
    if (!subscription) return;
    subscriptions.delete(id);
    subscription.over = true;
    subscription.watches?.stop();
  };
  const open = async (own: Subscription, of: Session, id: RequestId, acknowledgement: JSONRPCNotification) => {
    const watches = await openWatches(surface, of, resourcesIn(acknowledgement.params));
    if (own.over) return watches.stop();
    own.watches = watches;
    write(JSON.stringify(withResources({ ...acknowledgement }, watches.uris)));
    const about = { [SUBSCRIPTION_ID_META_KEY]: id };
    watches.attach((uri) =>
      write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri, _meta: about } })),
    );
  };

  return {
    take(message) {
      const id = message.params?._meta?.[SUBSCRIPTION_ID_META_KEY];
      if (!isRequestId(id)) return false;
      const of = session();
      if (of !== undefined && message.method === "notifications/subscriptions/acknowledged" && resourcesIn(message.params).length > 0) {
        end(id);
        const own: Subscription = { over: false, acknowledged: Promise.resolve() };
        subscriptions.set(id, own);
        own.acknowledged = open(own, of, id, message);
        return true;
      }
      const own = subscriptions.get(id);
      void own?.acknowledged.then(() => own.over || write(JSON.stringify(message)));
      return own !== undefined;
    },
    cancel(id) {
      if (isRequestId(id)) end(id);
    },
    close() {
      for (const id of [...subscriptions.keys()]) end(id);
    },
  };
}
