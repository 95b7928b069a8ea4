/** All downstream connections: made, changed and ended as the configuration says, each on its own. */
import { BUILTIN, serverAddress } from "../../actors/address.ts";
import type { OpenCall } from "../calls/open-calls.ts";
import type { CallOutcome, CallRequest, DownstreamRequest } from "../mcp/downstream/downstream.ts";
import type { Command } from "../runtime/event-log.ts";
import { type Connection, type ConnectionPorts, keepConnected, type Wanted } from "./connection.ts";

/** Calls of a connection that was taken out of the configuration may run on for so long. */
const LEASE_MS = 900_000;
const NOT_CONFIGURED: CallOutcome = { kind: "not_sent", reason: "not configured" };

export interface Connections {
  /** Reconciles with what is wanted: only a changed identity makes a new connection. */
  apply(wanted: readonly Wanted[]): void;
  of(server: string): Connection | undefined;
  all(): readonly Connection[];
  /** Lists again what every server offers. */
  refresh(): void;
  /** A call waits for this server. */
  hurry(server: string): void;
  /** Both never reject. */
  send(server: string, call: OpenCall, request: CallRequest): Promise<CallOutcome>;
  request(server: string, request: DownstreamRequest): Promise<CallOutcome>;
  /** True while one of them has neither been connected nor failed yet. */
  readonly settling: boolean;
  close(): Promise<void>;
}

export function createConnections(ports: ConnectionPorts): Connections {
  const connections = new Map<string, Connection>();
  const key = (server: string) => server.toLowerCase();
  const tell = (server: string, command: Command) => void ports.runtime.enter(serverAddress(server), command).catch(() => undefined); // recorded as turn.failed
  const gone = (server: string, reason: string) => {
    tell(server, { type: "disconnected", reason });
    tell(server, { type: "unreachable", reason });
  };
  return {
    apply(wanted) {
      const names = new Set(wanted.map(({ name }) => key(name)));
      for (const [name, connection] of connections)
        if (!names.has(name)) {
          connections.delete(name);
          void connection.retire(LEASE_MS);
          gone(name, "the server was taken out of the configuration");
        }
      for (const next of wanted) {
        const current = connections.get(key(next.name));
        if (current?.wanted.identity === next.identity && current.wanted.id === next.id) {
          current.retime();
          continue;
        }
        void current?.retire(LEASE_MS);
        if (current) tell(next.name, { type: "disconnected", reason: "its configuration changed" }); // what comes now waits for the new connection
        connections.set(key(next.name), keepConnected(next, ports));
      }
    },
    of: (server) => connections.get(key(server)),
    refresh() {
      for (const connection of connections.values()) connection.refresh();
    },
    all: () => [...connections.values()],
    hurry: (server) => {
      const connection = connections.get(key(server));
      if (connection) connection.hurry();
      else if (server !== BUILTIN) tell(server, { type: "unreachable", reason: "the server is not configured" });
    },
    send: async (server, _, request) => connections.get(key(server))?.call(request) ?? NOT_CONFIGURED,
    request: async (server, request) => connections.get(key(server))?.request(request) ?? NOT_CONFIGURED,
    get settling() {
      return [...connections.values()].some(({ state, lastError }) => state === "connecting" && lastError === undefined);
    },
    async close() {
      await Promise.all([...connections.values()].map((connection) => connection.retire(0)));
    },
  };
}
