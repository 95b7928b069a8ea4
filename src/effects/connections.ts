/** All downstream connections: made, changed and ended as the configuration says, each on its own. */
import { BUILTIN, serverAddress } from "../../actors/address.ts";
import type { OpenCall } from "../calls/open-calls.ts";
import { type CallOutcome, type CallReply, type CallRequest, type DownstreamRequest, isInterim } from "../mcp/downstream/downstream.ts";
import { createStop } from "../mcp/stop.ts";
import type { Command } from "../runtime/event-log.ts";
import { type Connection, keepConnected } from "./connection.ts";
import { type ConnectionPorts, isConnectedTo, type Wanted } from "./wanted.ts";

/** Calls of a connection that was taken out of the configuration may run on for so long. */
const LEASE_MS = 900_000;
const MOVED = "its server was pointed to another address meanwhile";
const NOT_CONFIGURED: CallOutcome = { kind: "not_sent", reason: "not configured" };

export interface Connections {
  /** Reconciles with what is wanted: only a changed identity makes a new connection. Resolves when the new ones have taken the place of the old. */
  apply(wanted: readonly Wanted[]): Promise<void>;
  of(server: string): Connection | undefined;
  all(): readonly Connection[];
  /** Lists again what every server offers. */
  refresh(): void;
  /** A call waits for this server. */
  hurry(server: string): void;
  /** Ends the connection, when its calls have their answers, and makes another. */
  renew(server: string): void;
  /** Both never reject. */
  send(server: string, call: OpenCall, request: CallRequest): Promise<CallReply>;
  request(server: string, request: DownstreamRequest): Promise<CallReply>;
  /** True while one of them has neither been connected nor failed yet. */
  readonly settling: boolean;
  /** The same of one. */
  isSettling(server: string): boolean;
  close(): Promise<void>;
}

const isFirst = ({ state, lastError }: Connection): boolean => state === "connecting" && lastError === undefined;

export function createConnections(ports: ConnectionPorts): Connections {
  const connections = new Map<string, Connection>();
  let closed = false;
  const key = (server: string) => server.toLowerCase();
  const tell = (server: string, command: Command) => ports.runtime.enter(serverAddress(server), command).catch(() => undefined); // recorded as turn.failed
  const gone = (server: string, reason: string) => {
    void tell(server, { type: "disconnected", reason });
    void tell(server, { type: "unreachable", reason });
  };
  const replace = async (current: Connection | undefined, next: Wanted, reason: string) => {
    // What was dispatched before this turn goes out on the old connection; what comes after it waits for the new one.
    if (current) await tell(next.name, { type: "disconnected", reason });
    if (connections.get(key(next.name)) !== current || closed) return;
    void current?.retire(LEASE_MS);
    connections.set(key(next.name), keepConnected(next, ports));
  };
  /** What a server asks or begins after its name was given to another address goes no further: the other one knows nothing of it. Its answers do, as that of a server elsewhere. */
  const through = async (server: string, send: (connection: Connection) => Promise<CallReply>): Promise<CallReply> => {
    const connection = connections.get(key(server));
    if (!connection) return NOT_CONFIGURED;
    const reply = await send(connection);
    const place = ports.placeOf(server);
    if (place === undefined || isConnectedTo(connection.wanted, place)) return reply;
    if (!isInterim(reply)) return reply.kind === "result" || reply.kind === "rpc_error" ? { ...reply, isElsewhere: true } : reply;
    if (reply.kind === "input_required") return { kind: "not_sent", reason: `it asked, and ${MOVED}` };
    void connection.downstream?.tasks?.cancel(reply.task, createStop().signal).catch(() => undefined); // nobody waits for what it says
    return { kind: "lost", reason: `it went on as a task, and ${MOVED}` };
  };
  return {
    async apply(wanted) {
      const names = new Set(wanted.map(({ name }) => key(name)));
      for (const [name, connection] of connections)
        if (!names.has(name)) {
          connections.delete(name);
          void connection.retire(LEASE_MS);
          gone(name, "the server was taken out of the configuration");
        }
      const replacing = wanted.map((next) => {
        const current = connections.get(key(next.name));
        if (current?.wanted.identity !== next.identity || current.wanted.id !== next.id)
          return replace(current, next, "its configuration changed");
        return current.retime();
      });
      await Promise.all(replacing);
    },
    of: (server) => connections.get(key(server)),
    refresh() {
      for (const connection of connections.values()) connection.refresh();
    },
    all: () => [...connections.values()],
    hurry: (server) => {
      const connection = connections.get(key(server));
      if (connection) connection.hurry();
      else if (server !== BUILTIN) void tell(server, { type: "unreachable", reason: "the server is not configured" });
    },
    renew(server) {
      const current = connections.get(key(server));
      if (current) void replace(current, current.wanted, "it is connected anew");
    },
    send: (server, _, request) => through(server, (connection) => connection.call(request)),
    request: (server, request) => through(server, (connection) => connection.request(request)),
    get settling() {
      return [...connections.values()].some(isFirst);
    },
    isSettling(server) {
      const connection = connections.get(key(server));
      return connection !== undefined && isFirst(connection);
    },
    async close() {
      closed = true;
      await Promise.all([...connections.values()].map((connection) => connection.retire(0)));
    },
  };
}
