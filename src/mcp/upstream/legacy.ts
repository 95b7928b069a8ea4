/** Legacy HTTP connections (`initialize`, `Mcp-Session-Id`): opened, found again after a restart, forgotten when idle, ended. */
import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCRequest,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import type { Principal, Session } from "./backend.ts";
import { createHttpSession, type HttpSession, type Times } from "./http-session.ts";
import { isObject, type JsonObject } from "./json.ts";
import { echoedId, errorResponse, HTTP_ERROR, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, SESSION_NOT_FOUND } from "./rpc.ts";
import { createSdkServer, type ServerParts } from "./sdk-server.ts";
import { clientOf, requestedName } from "./session-name.ts";

export interface Connection {
  readonly id: string;
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
  toolsChanged(sessions: ReadonlySet<string>): void;
  /** Forgets connections that nobody used since `before` (ms since the epoch); they can come back. */
  evict(before: number): void;
  close(): Promise<void>;
}

const VERSIONS = new Set(SUPPORTED_PROTOCOL_VERSIONS);

/** True when the header `MCP-Protocol-Version` names a legacy revision, or is absent. */
export function hasLegacyVersion(headers: Headers): boolean {
  const version = headers.get("mcp-protocol-version");
  return version === null || VERSIONS.has(version);
}

/** True when the client takes both forms of an answer, as every POST must. */
export function acceptsBoth(headers: Headers): boolean {
  const accept = headers.get("accept") ?? "";
  return accept.includes("application/json") && accept.includes("text/event-stream");
}

/** The door for legacy traffic. It holds one SDK server for each connection in memory. */
export function createLegacyDoor(parts: ServerParts, times: Times): LegacyDoor {
  const { backend } = parts;
  const connections = new Map<string, Connection>();
  const resuming = new Map<string, Promise<Connection | undefined>>();

  async function connect(id: string, session: Session): Promise<Connection> {
    const http = createHttpSession(times);
    const server = createSdkServer(parts, session, "legacy");
    await server.connect(http.transport);
    return { id, session, http, server, lastUsed: Date.now() };
  }

  async function resume(id: string, principal: Principal): Promise<Connection | undefined> {
    const found = await backend.resumeSession(id, principal);
    if (found === undefined) return undefined;
    const connection = await connect(id, found.session);
    const replayed = new Request("http://localhost/mcp");
    await connection.http.request({ jsonrpc: "2.0", id: 0, method: "initialize", params: { ...found.initialize } }, replayed);
    connection.http.deliver({ jsonrpc: "2.0", method: "notifications/initialized" });
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
    if (!connections.has(id)) {
      const pending = resuming.get(`${principal.agent} ${id}`) ?? resume(id, principal);
      resuming.set(`${principal.agent} ${id}`, pending);
      const resumed = await pending.finally(() => resuming.delete(`${principal.agent} ${id}`));
      if (resumed !== undefined) return resumed;
    }
    return errorResponse(404, SESSION_NOT_FOUND, "Session not found: send initialize to start a new one");
  }

  function known(request: Request, principal: Principal): Connection | undefined {
    const connection = connections.get(request.headers.get("mcp-session-id") ?? "");
    if (connection === undefined || connection.session.principal.agent !== principal.agent) return undefined;
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
    const id = crypto.randomUUID();
    const client = clientOf(params["clientInfo"]);
    const kept = initializeToKeep(params);
    const session = await backend.openSession({
      principal,
      client,
      era: "legacy",
      connection: { id, initialize: kept },
      ...(name !== undefined && { name }),
    });
    const connection = await connect(id, session);
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
        parts.onError(error);
        return errorResponse(500, INTERNAL_ERROR, "Internal server error", echoedId(message));
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
      connections.delete(connection.id);
      await connection.server.close();
      await backend.closeConnection(connection.session, connection.id);
      return new Response(null, { status: 200 });
    },
    toolsChanged(sessions) {
      for (const { session, http } of connections.values()) {
        if (sessions.has(session.id)) http.announce("notifications/tools/list_changed");
      }
    },
    evict(before) {
      for (const connection of connections.values()) {
        if (connection.lastUsed > before || connection.http.busy()) continue;
        connections.delete(connection.id);
        void connection.server.close();
      }
    },
    async close() {
      const all = [...connections.values()];
      connections.clear();
      await Promise.all(all.map((connection) => connection.server.close()));
    },
  };
}

function unsupportedVersion(headers: Headers): Response {
  const named = headers.get("mcp-protocol-version");
  const message = `Bad Request: Unsupported protocol version: ${named} (supported versions: ${SUPPORTED_PROTOCOL_VERSIONS.join(", ")})`;
  return errorResponse(400, HTTP_ERROR, message);
}

const MAX_KEPT_BYTES = 8_192;

/** What a restart needs of `initialize`. A client that sends more than 8 KiB of it is remembered by the essentials. */
function initializeToKeep(params: JsonObject): JsonObject {
  if (JSON.stringify(params).length <= MAX_KEPT_BYTES) return params;
  const capabilities = isObject(params["capabilities"]) ? params["capabilities"] : {};
  const names = ["elicitation", "sampling", "roots"].filter((key) => key in capabilities);
  return {
    protocolVersion: String(params["protocolVersion"]).slice(0, 64),
    capabilities: Object.fromEntries(names.map((key) => [key, {}])),
    clientInfo: clientOf(params["clientInfo"]),
  };
}
