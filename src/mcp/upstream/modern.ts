/** Modern HTTP traffic (2026-07-28): no handshake, so every request names its session and gets a server of its own. */
import { AsyncLocalStorage } from "node:async_hooks";
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  createMcpHandler,
  type InboundClassificationOutcome,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  type Server,
  type ServerEvent,
} from "@modelcontextprotocol/server";
import { brokenBound } from "../../observe/bounds.ts";
import type { ChangedSessions, ChangingList, Principal, Session } from "./backend.ts";
import { streamWhenLate } from "./event-stream.ts";
import type { Times } from "./http-session.ts";
import { isObject, type JsonObject } from "./json.ts";
import { echoedId, errorResponse, failure, INVALID_PARAMS } from "./rpc.ts";
import { createSdkServer, type ServerParts } from "./sdk-server.ts";
import { clientOf, requestedName } from "./session-name.ts";
import { mirroredMismatch } from "./tool-facts.ts";
import { openWatches, resourcesIn, type Watches, withResources } from "./watches.ts";

export const MODERN_VERSION = "2026-07-28";

const SUBSCRIBE = "subscriptions/listen";

export interface ModernDoor {
  post(message: unknown, request: Request, principal: Principal): Promise<Response>;
  /** GET and DELETE do not exist in this era; the SDK says so. */
  refuseMethod(request: Request): Promise<Response>;
  /** The session of that name, or of the client that `_meta` introduces; opened when nobody asked for it yet. */
  session(name: string | undefined, meta: unknown, principal: Principal): Promise<Session> | Session;
  listChanged(list: ChangingList, sessions: ChangedSessions): void;
  evict(before: number): void;
  close(): Promise<void>;
}

/** Which era a POST belongs to, and whether its envelope and headers are in order; the SDK decides. */
export function classify(message: unknown, headers: Headers): InboundClassificationOutcome {
  const header = (name: string) => headers.get(name) ?? undefined;
  const [protocolVersionHeader, mcpMethodHeader, mcpNameHeader] = ["mcp-protocol-version", "mcp-method", "mcp-name"].map(header);
  return classifyInboundRequest({
    httpMethod: "POST",
    body: message,
    ...(protocolVersionHeader !== undefined && { protocolVersionHeader }),
    ...(mcpMethodHeader !== undefined && { mcpMethodHeader }),
    ...(mcpNameHeader !== undefined && { mcpNameHeader }),
  });
}

/**
 * Remembers envelopes that the SDK found valid: clients send the same one with every request, and validating it is most of the work.
 * True means valid and for our revision; false means ask the SDK.
 */
export function createEnvelopeCheck(): (message: unknown, meta: JsonObject) => boolean {
  const valid = new Set<string>();
  return (message, meta) => {
    if (meta[PROTOCOL_VERSION_META_KEY] !== MODERN_VERSION || LOG_LEVEL_META_KEY in meta || brokenBound(meta) !== undefined) return false;
    const key = JSON.stringify([meta[CLIENT_INFO_META_KEY], meta[CLIENT_CAPABILITIES_META_KEY]]);
    if (valid.has(key)) return true;
    const outcome = classifyInboundRequest({ httpMethod: "POST", body: message });
    if (outcome.kind !== "modern") return false;
    if (valid.size >= 256) valid.clear();
    if (key.length <= 4_096) valid.add(key);
    return true;
  };
}

/** What belongs to the request being served. */
interface Store {
  readonly open: () => Promise<Session>;
  session?: Session;
  failed?: unknown;
  /** Of a subscription: the resources that it names. */
  watches?: Watches;
}

/** The door for modern traffic. */
export function createModernDoor(parts: ServerParts, times: Times): ModernDoor {
  const { backend, facts } = parts;
  const current = new AsyncLocalStorage<Store>();
  const listeners = new Map<string, Set<(event: ServerEvent) => void>>();
  const sessions = new Map<string, { session: Promise<Session> | Session; lastUsed: number }>();

  /** Called only when a request has passed the SDK's checks: garbage opens no session. */
  async function serverOfRequest(): Promise<Server> {
    const store = current.getStore();
    try {
      if (store !== undefined) store.session = await store.open();
    } catch (error) {
      if (store !== undefined) store.failed = error;
      throw new Error("no session"); // The SDK turns it into an answer that `post` replaces.
    }
    return createSdkServer(parts, currentSession(), "modern");
  }

  const handler = createMcpHandler(serverOfRequest, {
    legacy: "reject",
    keepAliveMs: times.keepAliveMs,
    maxSubscriptions: 10_000,
    onerror: parts.onError,
    bus: {
      publish: (event) => publish(currentSession().id, event),
      subscribe(listener) {
        const { id } = currentSession();
        const watches = current.getStore()?.watches;
        const own = listeners.get(id) ?? new Set();
        listeners.set(id, own.add(listener));
        watches?.attach((uri) => listener({ kind: "resource_updated", uri }));
        return () => {
          watches?.stop();
          own.delete(listener);
          if (own.size === 0 && listeners.get(id) === own) listeners.delete(id);
        };
      },
    },
  });

  function currentSession(): Session {
    const session = current.getStore()?.session;
    if (session === undefined) throw new Error("a modern request was served outside its session");
    return session;
  }

  function publish(session: string, event: ServerEvent): void {
    for (const listener of listeners.get(session) ?? []) listener(event);
  }

  function session(name: string | undefined, meta: unknown, principal: Principal): Promise<Session> | Session {
    const client = clientOf(isObject(meta) ? meta[CLIENT_INFO_META_KEY] : undefined);
    const key = JSON.stringify([principal.agent, principal.profile, name ?? null, name === undefined ? client.name : null]);
    const known = sessions.get(key);
    if (known !== undefined) {
      known.lastUsed = Date.now();
      return known.session;
    }
    const opening = backend.openSession({ principal, client, era: "modern", ...(name !== undefined && { name }) });
    const entry: { session: Promise<Session> | Session; lastUsed: number } = { session: opening, lastUsed: Date.now() };
    sessions.set(key, entry);
    opening.then(
      (opened) => {
        entry.session = opened;
      },
      () => sessions.delete(key),
    );
    return opening;
  }

  async function serve(store: Store, message: unknown, params: JsonObject, request: Request): Promise<Response> {
    const method = isObject(message) ? message["method"] : undefined;
    const isSound = (method === "tools/call" || method === SUBSCRIBE) && classify(message, request.headers).kind === "modern";
    if (isSound && method === "tools/call") {
      const tool = facts.of(await store.open(), String(params["name"]));
      const wrong = mirroredMismatch(tool, params["arguments"], request.headers);
      if (wrong !== undefined) return errorResponse(400, wrong.code, wrong.message, echoedId(message), wrong.data);
    }
    const wanted = isSound && method === SUBSCRIBE ? resourcesIn(params) : [];
    if (backend.surface && wanted.length > 0) store.watches = await openWatches(backend.surface, await store.open(), wanted);
    const { watches } = store;
    const parsedBody = watches && isObject(message) ? withResources(message, watches.uris) : message;
    const given = await current.run(store, () => handler.fetch(request, { parsedBody }));
    if (watches?.attached === false) watches.stop(); // the SDK has turned the subscription down
    if (store.failed !== undefined) throw store.failed;
    return given;
  }

  return {
    session,
    refuseMethod: (request) => handler.fetch(request),
    async post(message, request, principal) {
      const params = isObject(message) && isObject(message["params"]) ? message["params"] : {};
      const name = requestedName(params["_meta"], request.headers);
      if (name instanceof Error) return errorResponse(400, INVALID_PARAMS, name.message, echoedId(message));
      const store: Store = { open: async () => session(name, params["_meta"], principal) };
      const answer = serve(store, message, params, request).catch((error) => failure(error, echoedId(message), parts.onError));
      if (request.headers.get("accept")?.includes("text/event-stream") !== true) return answer;
      return streamWhenLate(answer, { afterMs: times.streamAfterMs, keepAliveMs: times.keepAliveMs });
    },
    listChanged(list, changed) {
      for (const id of listeners.keys()) if (changed.has(id)) publish(id, { kind: `${list}_list_changed` });
    },
    evict(before) {
      for (const [key, entry] of sessions) if (entry.lastUsed <= before) sessions.delete(key);
    },
    close: () => handler.close(),
  };
}
