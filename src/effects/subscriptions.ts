/** Who wants to hear of which resource. However many want to, a server has one subscription of each: from the first who asks to the last who leaves. */
import type { RpcError } from "../calls/open-calls.ts";
import type { CallOutcome } from "../mcp/downstream/downstream.ts";
import type { Clock } from "../runtime/timers.ts";
import type { Connection } from "./connection.ts";

export interface Subscriptions {
  /**
   * Calls back at every change of the resource, by the server's own URI, and when one may have been missed. Undone by calling what is returned.
   * A server that cannot be asked now is asked when it is connected; only what it turns down is refused. Never rejects.
   */
  subscribe(server: string, uri: string, listener: () => void): Promise<(() => void) | RpcError>;
  /** What a new connection has to ask for. */
  of(server: string): readonly string[];
  /** The server says that this resource, or one below it, has changed. */
  updated(server: string, uri: string): void;
}
export interface SubscriptionPorts {
  readonly clock: Clock;
  readonly redact: (text: string) => string;
  readonly connectionOf: (server: string) => Pick<Connection, "subscribe" | "unsubscribe"> | undefined;
}

interface Wanted {
  readonly listeners: Set<() => void>;
  readonly asked: Promise<CallOutcome | undefined>;
}

/** A server that takes longer is not waited for. */
const LIMIT_MS = 10_000;

export function createSubscriptions({ clock, redact, connectionOf }: SubscriptionPorts): Subscriptions {
  const servers = new Map<string, Map<string, Wanted>>();
  const keyOf = (server: string) => server.toLowerCase();

  const ask = (server: string, uri: string): Promise<CallOutcome | undefined> =>
    new Promise((resolve) => {
      const stop = clock.after(LIMIT_MS, () => resolve(undefined));
      const asked = connectionOf(server)?.subscribe(uri) ?? Promise.resolve(undefined);
      void asked.then((outcome) => {
        stop();
        resolve(outcome);
      });
    });
  const wantedOf = (server: string, uri: string): Wanted => {
    const ofServer = servers.get(keyOf(server)) ?? new Map<string, Wanted>();
    servers.set(keyOf(server), ofServer);
    const wanted = ofServer.get(uri) ?? { listeners: new Set(), asked: ask(server, uri) };
    ofServer.set(uri, wanted);
    return wanted;
  };
  const leave = (server: string, uri: string, wanted: Wanted, listener: () => void) => {
    const ofServer = servers.get(keyOf(server));
    if (!wanted.listeners.delete(listener) || wanted.listeners.size > 0 || ofServer?.get(uri) !== wanted) return;
    ofServer.delete(uri);
    if (ofServer.size === 0) servers.delete(keyOf(server));
    void connectionOf(server)?.unsubscribe(uri);
  };

  return {
    async subscribe(server, uri, heard) {
      const listener = () => heard(); // the same function may listen twice
      const wanted = wantedOf(server, uri);
      wanted.listeners.add(listener);
      const outcome = await wanted.asked;
      if (outcome?.kind !== "rpc_error") return () => leave(server, uri, wanted, listener);
      wanted.listeners.delete(listener);
      if (servers.get(keyOf(server))?.get(uri) === wanted) servers.get(keyOf(server))?.delete(uri);
      return { code: outcome.code, message: redact(outcome.message) };
    },
    of: (server) => [...(servers.get(keyOf(server))?.keys() ?? [])],
    updated(server, uri) {
      for (const [wanted, { listeners }] of servers.get(keyOf(server)) ?? [])
        if (isWithin(wanted, uri)) for (const listener of [...listeners]) listener();
    },
  };
}

/** A server may name something below what was subscribed to. */
const isWithin = (resource: string, uri: string): boolean =>
  uri === resource || (uri.startsWith(resource) && (resource.endsWith("/") || "/?#".includes(uri.charAt(resource.length))));
