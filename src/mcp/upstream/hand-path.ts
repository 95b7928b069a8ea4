/** The short way of a plain `tools/call`: from the parsed message to the backend and back, without the SDK. */

import { PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/server";
import { createStop } from "../stop.ts";
import type { Backend, Principal, Session, ToolResult } from "./backend.ts";
import type { Message } from "./body.ts";
import { legacyAbilities, modernAbilities } from "./client-abilities.ts";
import { type EventStream, emptyEventStream, openEventStream } from "./event-stream.ts";
import type { Cancellable, Times } from "./http-session.ts";
import { isObject, type JsonObject } from "./json.ts";
import type { LegacyDoor } from "./legacy.ts";
import { acceptsBoth, hasLegacyVersion } from "./legacy-checks.ts";
import { createEnvelopeCheck, MODERN_VERSION, type ModernDoor } from "./modern.ts";
import { type Asker, callByHand, type HandAnswer, legacyResult, modernResult } from "./results.ts";
import { errorText, INVALID_PARAMS, jsonResponse, resultText } from "./rpc.ts";
import { requestedName } from "./session-name.ts";
import { type PlainCall, plainCallOf, refusalOf } from "./tool-call.ts";
import { mirroredMismatch, type ToolFactsCache } from "./tool-facts.ts";

export interface HandParts {
  readonly backend: Backend;
  readonly facts: ToolFactsCache;
  readonly legacy: LegacyDoor;
  readonly modern: ModernDoor;
  readonly times: Times;
  readonly onError: (error: unknown) => void;
}

interface Way extends Asker {
  /** Where somebody who wants to end the call finds it. */
  readonly running: Set<Cancellable>;
  readonly streams: boolean;
}

export interface HandPath {
  /** The answer, or undefined: this message is not for the short way. */
  tryCall(message: Message, request: Request, principal: Principal): Promise<Response | undefined>;
  /** Aborts the modern calls that run; the legacy ones end with their connections. */
  close(): void;
}

/**
 * The short way accepts only what it is sure the SDK would accept too, and leaves everything else, errors included, to it.
 * `onTaken` is called for each call that it answers.
 */
export function createHandPath(parts: HandParts, onTaken: () => void): HandPath {
  const { backend, legacy, modern, facts } = parts;
  const modernCalls = new Set<Cancellable>();
  const isValidEnvelope = createEnvelopeCheck();

  function legacyWay(call: PlainCall, request: Request, principal: Principal): Way | undefined {
    const { headers } = request;
    if (!hasLegacyVersion(headers) || !acceptsBoth(headers)) return undefined;
    const connection = legacy.known(request, principal);
    if (connection === undefined) return undefined;
    const { session, http, server } = connection;
    const client = legacyAbilities(server);
    if (!backend.isPlain(session, call, client)) return undefined;
    return {
      session,
      client,
      running: http.running,
      streams: true,
      project: (result) => legacyResult(result, server, () => facts.of(session, call.name)?.outputSchema),
    };
  }

  /** Undefined when it cannot be had: the SDK's way finds that out again, and answers. */
  async function sessionOf(name: string | undefined, meta: JsonObject, principal: Principal): Promise<Session | undefined> {
    try {
      return await modern.session(name, meta, principal);
    } catch {
      return undefined;
    }
  }

  async function modernWay(call: PlainCall, meta: JsonObject, message: unknown, request: Request, principal: Principal) {
    const { headers } = request;
    if (headers.get("mcp-protocol-version") !== MODERN_VERSION || headers.get("mcp-method") !== "tools/call") return undefined;
    if (headers.get("mcp-name") !== call.name || call.name.startsWith("=?") || !isValidEnvelope(message, meta)) return undefined;
    const name = requestedName(meta, headers);
    if (name instanceof Error) return undefined;
    const session = await sessionOf(name, meta, principal);
    const client = modernAbilities(meta);
    if (session === undefined || !backend.isPlain(session, call, client)) return undefined;
    if (mirroredMismatch(facts.of(session, call.name), call.arguments, headers) !== undefined) return undefined;
    const streams = headers.get("accept")?.includes("text/event-stream") === true;
    return { session, client, running: modernCalls, streams, project: (result: ToolResult) => modernResult(result, backend.info) };
  }

  async function tryCall(message: Message, request: Request, principal: Principal): Promise<Response | undefined> {
    const call = plainCallOf(message.value);
    if (call === undefined) return undefined;
    const claimed = call.meta !== undefined && PROTOCOL_VERSION_META_KEY in call.meta ? call.meta : undefined;
    const way =
      claimed === undefined ? legacyWay(call, request, principal) : await modernWay(call, claimed, message.value, request, principal);
    if (way === undefined) return undefined;
    onTaken();
    const refusal = refusalOf(isObject(message.value) && isObject(message.value["params"]) ? message.value["params"] : {}, message.text);
    if (refusal?.kind === "invalid_params") return jsonResponse(errorText(call.id, INVALID_PARAMS, refusal.message));
    if (refusal?.kind === "result") return jsonResponse(resultText(call.id, way.project(refusal.result)));
    return answer(parts, way, call, request);
  }

  return {
    tryCall,
    close() {
      for (const call of modernCalls) call.cancel("disconnected");
    },
  };
}

/** Runs the call. The answer is JSON, or an SSE stream when it is late; it ends early when the client cancels or leaves. */
function answer(parts: HandParts, way: Way, call: PlainCall, request: Request): Promise<Response> {
  const { times, backend } = parts;
  const controller = createStop();
  const { signal } = request;
  if (signal.aborted) return Promise.resolve(emptyEventStream());
  return new Promise((resolve) => {
    let events: EventStream | undefined;
    let open = true;
    const left = () => running.cancel("disconnected");
    const leave = () => {
      open = false;
      clearTimeout(late);
      signal.removeEventListener("abort", left);
      way.running.delete(running);
    };
    const finish = ({ text, status }: HandAnswer) => {
      if (!open) return;
      leave();
      if (events === undefined) resolve(jsonResponse(text, status));
      events?.send(text);
      events?.end();
    };
    const running: Cancellable = {
      id: call.id,
      cancel(reason) {
        if (!open) return;
        leave();
        controller.abort(reason);
        if (events === undefined) resolve(emptyEventStream());
        else events.end();
      },
    };
    const late = setTimeout(() => {
      if (!way.streams) return;
      events = openEventStream(times.keepAliveMs, left);
      resolve(events.response);
    }, times.streamAfterMs);
    way.running.add(running);
    signal.addEventListener("abort", left);
    void callByHand(backend, way, call, controller.signal, parts.onError).then(finish);
  });
}
