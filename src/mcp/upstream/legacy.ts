/** Legacy HTTP connections (`initialize`, `Mcp-Session-Id`): opened, found again after a restart, forgotten when idle, ended. */
import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCRequest,
  type Server,
} from "@modelcontextprotocol/server";
import { type ChangedSessions, type ChangingList, type Principal, type Session, sessionRefusal } from "./backend.ts";
import { createHttpSession, type HttpSession, type Times } from "./http-session.ts";
import { acceptsBoth, hasLegacyVersion, initializeToKeep, unsupportedVersion } from "./legacy-checks.ts";
import { echoedId, errorResponse, failure, HTTP_ERROR, INVALID_PARAMS, INVALID_REQUEST, SESSION_NOT_FOUND } from "./rpc.ts";
import { createSdkServer, type ServerParts } from "./sdk-server.ts";
import { clientOf, requestedName } from "./session-name.ts";

export interface Connection {
  readonly id: string;
  /** Who speaks on it; a token whose profile has changed since gets a fresh view of the session. */
  readonly principal: Principal;
  readonly session: Session;
  readonly http: HttpSession;
  readonly server: Server;
  lastUsed: number;
}

export interface LegacyDoor {
  post(message: unknown, request: Request, principal: Principal): Promise<Response>;
  get(request: Request, principal: Principal): Promise<Response>;
  delete(request: Request, principal: Principal): Promise<Response>;
  /** The connection that a request names, if it is in memory and the principal's own. */
  known(request: Request, principal: Principal): Connection | undefined;
  listChanged(list: ChangingList, sessions: ChangedSessions): void;
  /** Forgets connections that nobody used since `before` (ms since the epoch); they can come back. */
  evict(before: number): void;
  close(): Promise<void>;
}

/** Most connections in memory; each holds about 8 kB. */
const MAX_CONNECTIONS = 5_000;

/** The door for legacy traffic. It holds one SDK server for each connection in memory. */
export function createLegacyDoor(parts: ServerParts, times: Times): LegacyDoor {
  const { backend } = parts;
  const connections = new Map<string, Connection>();
  const resuming = new Map<string, Promise<Connection | undefined>>();

  async function connect(id: string, principal: Principal, session: Session): Promise<Connection> {
    const http = createHttpSession(times);
    const server = createSdkServer(parts, session, "legacy");
    await server.connect(http.transport);
    return { id, principal, session, http, server, lastUsed: Date.now() };
  }

  /** One more connection may be too many: idle ones can leave, they come back when they are used. */
  function makeRoom(): void {
    if (connections.size < MAX_CONNECTIONS) return;
    const idle = [...connections.values()].filter(({ http }) => !http.busy()).sort((a, b) => a.lastUsed - b.lastUsed);
    for (const connection of idle.slice(0, MAX_CONNECTIONS / 10)) forget(connection);
    if (idle.length === 0) throw sessionRefusal("Too many connections are open; close some of them and try again");
  }

  function forget(connection: Connection): void {
    connections.delete(connection.id);
    void connection.server.close();
  }

  async function resume(id: string, principal: Principal): Promise<Connection | undefined> {
    const found = await backend.resumeSession(id, principal);
    if (found === undefined) return undefined;
    makeRoom();
    const connection = await connect(id, principal, found.session);
    const replayed: JSONRPCRequest = { jsonrpc: "2.0", id: 0, method: "initialize", params: { ...found.initialize } };
    await connection.http.request(replayed, new AbortController());
    connection.http.deliver({ jsonrpc: "2.0", method: "notifications/initialized" });
    void connections.get(id)?.server.close();
    connections.set(id, connection);
    return connection;
  }

  /** The connection a request is about, or the answer to give instead. */
  async function find(request: Request, principal: Principal): Promise<Connection | Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return errorResponse(400, HTTP_ERROR, "Bad Request: Mcp-Session-Id header is required");
    if (!hasLegacyVersion(request.headers)) return unsupportedVersion(request.headers);
    const found = known(request, principal);
    if (found !== undefined) return found;
    const other = connections.get(id);
    if (other === undefined || other.principal.agent === principal.agent) {
      const key = JSON.stringify([id, principal.agent, principal.profile]);
      const pending = resuming.get(key) ?? resume(id, principal).finally(() => resuming.delete(key));
      resuming.set(key, pending);
      const resumed = await pending;
      if (resumed !== undefined) return resumed;
    }
    return errorResponse(404, SESSION_NOT_FOUND, "Session not found: send initialize to start a new one");
  }

  function known(request: Request, principal: Principal): Connection | undefined {
    const connection = connections.get(request.headers.get("mcp-session-id") ?? "");
    if (connection?.principal.agent !== principal.agent || connection.principal.profile !== principal.profile) return undefined;
    connection.lastUsed = Date.now();
    return connection;
  }

  async function initialize(message: JSONRPCRequest, request: Request, principal: Principal): Promise<Response> {
    if (known(request, principal) !== undefined) {
      return errorResponse(400, INVALID_REQUEST, "Invalid Request: Server already initialized", message.id);
    }
    const params = message.params;
    if (!isInitializeRequest(message) || params === undefined) {
      return errorResponse(
        400,
        INVALID_PARAMS,
        "Invalid params: initialize needs protocolVersion, capabilities and clientInfo",
        message.id,
      );
    }
    const name = requestedName(params["_meta"], request.headers);
    if (name instanceof Error) return errorResponse(400, INVALID_PARAMS, name.message, message.id);
    makeRoom();
    const id = crypto.randomUUID();
    const session = await backend.openSession({
      principal,
      client: clientOf(params["clientInfo"]),
      era: "legacy",
      connection: { id, initialize: initializeToKeep(params) },
      ...(name !== undefined && { name }),
    });
    const connection = await connect(id, principal, session);
    connections.set(id, connection);
    const answer = await connection.http.request(message, request);
    answer.headers.set("mcp-session-id", id);
    return answer;
  }

  return {
    known,
    async post(message, request, principal) {
      if (!acceptsBoth(request.headers)) {
        return errorResponse(406, HTTP_ERROR, "Not Acceptable: Client must accept both application/json and text/event-stream");
      }
      try {
        if (isJSONRPCRequest(message) && message.method === "initialize") return await initialize(message, request, principal);
        const connection = await find(request, principal);
        if (connection instanceof Response) return connection;
        if (isJSONRPCRequest(message)) return await connection.http.request(message, request);
        if (!isJSONRPCNotification(message) && !isJSONRPCResponse(message)) {
          return errorResponse(400, INVALID_REQUEST, "Bad Request: the request body is not a valid JSON-RPC message");
        }
        connection.http.deliver(message);
        return new Response(null, { status: 202 });
      } catch (error) {
        return failure(error, echoedId(message), parts.onError);
      }
    },
    async get(request, principal) {
      if (request.headers.get("accept")?.includes("text/event-stream") !== true) {
        return errorResponse(406, HTTP_ERROR, "Not Acceptable: Client must accept text/event-stream");
      }
      const connection = await find(request, principal);
      return connection instanceof Response ? connection : connection.http.openStream();
    },
    async delete(request, principal) {
      const connection = await find(request, principal);
      if (connection instanceof Response) return connection;
      await backend.closeConnection(connection.session, connection.id); // First: nobody may resume it any more.
      connections.delete(connection.id);
      await connection.server.close();
      return new Response(null, { status: 200 });
    },
    listChanged(list, sessions) {
      for (const { session, http } of connections.values()) {
        if (sessions.has(session.id)) http.announce(`notifications/${list}/list_changed`);
      }
    },
    evict(before) {
      for (const connection of connections.values()) {
        if (connection.lastUsed <= before && !connection.http.busy()) forget(connection);
      }
    },
    async close() {
      const all = [...connections.values()];
      connections.clear();
      await Promise.all(all.map((connection) => connection.server.close()));
    },
  };
}
