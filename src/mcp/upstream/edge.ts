/** The upstream MCP edge: both eras on one URL, and byte streams, in front of one `Backend`. */

import { brokenBound, INPUT_LIMITS } from "../../observe/bounds.ts";
import { DEPTH_HEADER } from "../../observe/hook-depth.ts";
import type { Backend, ChangedSessions, ChangingList, Principal } from "./backend.ts";
import { readMessage, refuseBatch } from "./body.ts";
import { createHandPath } from "./hand-path.ts";
import type { Times } from "./http-session.ts";
import { isObject } from "./json.ts";
import { createLegacyDoor } from "./legacy.ts";
import type { ByteStream, StreamPeer } from "./line-transport.ts";
import { classify, createModernDoor, MODERN_VERSION } from "./modern.ts";
import { echoedId, errorResponse, failure, HTTP_ERROR, INVALID_REQUEST } from "./rpc.ts";
import type { ServerParts } from "./sdk-server.ts";
import { createStreamDoor, type StreamConnection } from "./stream-door.ts";
import { markLed, markRefused, mayBeRefused, refusalOf } from "./tool-call.ts";
import { createToolFacts } from "./tool-facts.ts";

export interface EdgeOptions {
  /** Off: every call goes through the SDK. For comparison in tests. Default on. */
  readonly handPath?: boolean;
  /** Most bytes of one POST body or one line of a stream. Default 4 MiB. */
  readonly maxMessageBytes?: number;
  /** Silence after which a waiting answer becomes an SSE stream, ms. Default 5,000. */
  readonly streamAfterMs?: number;
  /** Between two comments of an SSE stream, ms. Default 5,000. */
  readonly keepAliveMs?: number;
  /** A session nobody used for so long leaves memory (it can be resumed), ms. Default 30 min. */
  readonly idleMs?: number;
  /** Hears of failures that no client is told about in detail. */
  readonly onError?: (error: unknown) => void;
}

/** The part of Bun's server that the edge uses. */
interface TimeoutControl {
  timeout(request: Request, seconds: number): void;
}

export interface Edge {
  /** Serves one request to the MCP route. Who it is, and that its Host and Origin are fine, was found out before. Never rejects. */
  fetch(request: Request, principal: Principal, server?: TimeoutControl): Promise<Response>;
  /**
   * Serves one connection over a byte stream, newline-delimited. Without `sessionName` the backend's rules apply; a name in the first
   * message's `_meta` wins. `led`: which hook its calls come from.
   */
  connectStream(stream: ByteStream, who: StreamPeer): StreamConnection;
  /** How many `tools/call` went the short way since the start. */
  handCalls(): number;
  /** Lets sessions leave memory that nobody used since `before`, ms since the epoch. Happens by itself every minute. */
  evictIdle(before: number): void;
  /** Ends every stream and forgets every session. Calls that run are aborted as `disconnected`. */
  close(): Promise<void>;
}

/** Builds the edge. Until `close` it listens for changes of the backend's lists. */
export function createEdge(backend: Backend, options: EdgeOptions = {}): Edge {
  const times: Times = { streamAfterMs: options.streamAfterMs ?? 5_000, keepAliveMs: options.keepAliveMs ?? 5_000 };
  const maxBytes = options.maxMessageBytes ?? 4 * 1024 * 1024;
  const idleMs = options.idleMs ?? 30 * 60_000;
  const onError = options.onError ?? (() => undefined);
  const facts = createToolFacts(backend);
  const parts: ServerParts = { backend, facts, onError };
  const legacy = createLegacyDoor(parts, times);
  const modern = createModernDoor(parts, times);
  let handCalls = 0;
  let closed = false;
  const hand = createHandPath({ ...parts, legacy, modern, times }, () => {
    handCalls++;
  });
  const streams = createStreamDoor(parts, {
    handPath: options.handPath !== false,
    maxBytes,
    onHandCall: () => {
      handCalls++;
    },
  });
  const tell = (list: ChangingList, sessions: ChangedSessions) => {
    for (const door of [legacy, modern, streams]) door.listChanged(list, sessions);
  };
  const stopListening = [backend.onToolsChanged((sessions) => tell("tools", sessions)), backend.surface?.onChanged(tell)];
  const evictIdle = (before: number) => {
    legacy.evict(before);
    modern.evict(before);
  };
  const sweep = setInterval(() => evictIdle(Date.now() - idleMs), 60_000);
  sweep.unref();

  async function post(request: Request, principal: Principal): Promise<Response> {
    const message = await readMessage(request, maxBytes);
    if (message instanceof Response) return message;
    markLed(message.value, request.headers.get(DEPTH_HEADER) ?? undefined);
    if (options.handPath !== false) {
      const answer = await hand.tryCall(message, request, principal);
      if (answer !== undefined) return answer;
    }
    let { value } = message;
    if (Array.isArray(value)) return refuseBatch();
    if (isObject(value) && mayBeRefused(value)) {
      const refusal = refusalOf(value.params, message.text);
      if (refusal !== undefined) value = markRefused(value, refusal);
    }
    if (brokenBound(value, Number.POSITIVE_INFINITY) === "depth") {
      return errorResponse(
        400,
        INVALID_REQUEST,
        `Bad Request: the message is nested deeper than ${INPUT_LIMITS.depth} levels`,
        echoedId(value),
      );
    }
    const isLegacy = classify(value, request.headers).kind === "legacy";
    return isLegacy ? legacy.post(value, request, principal) : modern.post(value, request, principal);
  }

  function route(request: Request, principal: Principal): Promise<Response> | Response {
    if (request.method === "POST") return post(request, principal);
    if (request.method !== "GET" && request.method !== "DELETE") {
      const refused = errorResponse(405, HTTP_ERROR, "Method not allowed.");
      refused.headers.set("allow", "GET, POST, DELETE");
      return refused;
    }
    if (request.headers.get("mcp-protocol-version") === MODERN_VERSION) return modern.refuseMethod(request);
    return request.method === "GET" ? legacy.get(request, principal) : legacy.delete(request, principal);
  }

  return {
    async fetch(request, principal, server) {
      if (closed) return errorResponse(503, HTTP_ERROR, "Service Unavailable: shutting down");
      try {
        const response = await route(request, principal);
        if (response.headers.get("content-type") === "text/event-stream") server?.timeout(request, 0);
        return response;
      } catch (error) {
        return failure(error, null, onError);
      }
    },
    connectStream: streams.connect,
    handCalls: () => handCalls,
    evictIdle,
    async close() {
      closed = true;
      clearInterval(sweep);
      hand.close();
      for (const stop of stopListening) stop?.();
      await Promise.all([legacy.close(), modern.close(), streams.close()]);
    },
  };
}
