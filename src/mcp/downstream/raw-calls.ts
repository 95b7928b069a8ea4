/** Hand-written requests over any SDK transport: own ids, no time-out, no schema; what became of each is told exactly. */

import { CLIENT_CAPABILITIES_META_KEY, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import type { StopSignal } from "../stop.ts";
import { answered, type Failure, failed, lost, unread } from "./call-outcome.ts";
import type { CallOutcome, CallReply, Progress } from "./downstream.ts";
import { type Awaited, replied } from "./interim.ts";
import { isObject } from "./json.ts";

/** Ids below belong to the SDK Client on the same transport. */
const FIRST_ID = 1_000_000_000;

/** How many cancelled requests are still listened for; the oldest beyond are given up, or a server that never answers them would cost memory. */
const MAX_CANCELLED = 256;

export interface RawRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  readonly signal?: StopSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** HTTP only. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What a modern server is told that we can do, in place of what the envelope says. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
}

export interface RawCalls {
  /** Never rejects. */
  request(request: RawRequest): Promise<CallOutcome>;
  /** The same where the server may ask first, or go on in the background. */
  call(request: RawRequest, awaited: Awaited): Promise<CallReply>;
  /** True when the message answered (or reported progress of) one of our requests and must go no further. */
  take(message: Readonly<Record<string, unknown>>): boolean;
  /** The answer to this id is there but cannot be read. */
  unreadable(id: string | number, reason: string): void;
  /** No further answers will come: every open request is `lost`, every later one `not_sent`. */
  end(reason: string): void;
  /** How many requests wait for an answer. */
  open(): number;
}

interface Pending {
  /** The server's response has come. */
  answer(message: Readonly<Record<string, unknown>>): void;
  /** There will be none. */
  settle(outcome: CallOutcome): void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

export interface RawCallsOptions {
  readonly transport: Transport;
  /** What a modern server requires in every request's `_meta`; empty for a legacy one. */
  readonly envelope: Readonly<Record<string, unknown>>;
  /** Told of every request that failed in the transport, for those who judge the connection by it. */
  onFailure?(failure: Failure): void;
}

/** Makes the request side of one connection. */
export function createRawCalls({ transport, envelope, onFailure }: RawCallsOptions): RawCalls {
  const pending = new Map<number, Pending>();
  const cancelled = new Set<number>();
  const modern = Object.keys(envelope).length > 0;
  const era = modern ? "modern" : "legacy";
  // Closing the stream is the cancellation where each request has one of its own (modern HTTP).
  const cancelsByStream = modern && transport.hasPerRequestStream === true;
  let nextId = FIRST_ID;
  let ended: string | undefined;

  function cancel(id: number, reason: unknown): void {
    if (!pending.has(id)) return;
    const params = { requestId: id, ...(typeof reason === "string" ? { reason } : {}), ...(modern ? { _meta: envelope } : {}) };
    transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params }).catch(() => undefined);
    cancelled.add(id);
    if (cancelled.size <= MAX_CANCELLED) return;
    for (const oldest of cancelled) {
      pending.get(oldest)?.settle(lost("cancelled, and no answer came"));
      break;
    }
  }

  function send<T>(request: RawRequest, read: (message: Readonly<Record<string, unknown>>) => T): Promise<T | CallOutcome> {
    if (ended !== undefined) return Promise.resolve({ kind: "not_sent", reason: ended });
    if (request.signal?.aborted === true) return Promise.resolve({ kind: "not_sent", reason: "cancelled before it was sent" });
    const id = nextId++;
    const { signal, onProgress, capabilities } = request;
    const hasMeta = modern || request.meta !== undefined || onProgress !== undefined;
    const meta = hasMeta ? { ...request.meta, ...(onProgress === undefined ? {} : { progressToken: id }), ...envelope } : undefined;
    if (meta !== undefined && modern && capabilities !== undefined) Object.assign(meta, { [CLIENT_CAPABILITIES_META_KEY]: capabilities });
    const message: JSONRPCMessage = {
      jsonrpc: "2.0",
      id,
      method: request.method,
      params: meta === undefined ? { ...request.params } : { ...request.params, _meta: meta },
    };
    return new Promise((resolve) => {
      const stream = cancelsByStream && signal !== undefined ? new AbortController() : undefined;
      const onAbort = (): void => {
        if (stream === undefined) {
          cancel(id, signal?.reason);
          return;
        }
        entry.settle(lost("cancelled"));
        stream.abort();
      };
      const settle = (made: T | CallOutcome): void => {
        if (!pending.delete(id)) return;
        cancelled.delete(id);
        signal?.removeEventListener("abort", onAbort);
        resolve(made);
      };
      const entry: Pending = { onProgress, settle, answer: (response) => settle(read(response)) };
      pending.set(id, entry);
      signal?.addEventListener("abort", onAbort, { once: true });
      const options = transport.hasPerRequestStream
        ? {
            onRequestStreamEnd: () => entry.settle(lost("the server closed the stream before it answered")),
            ...(stream === undefined ? {} : { requestSignal: stream.signal }),
            ...(request.headers === undefined ? {} : { headers: { ...request.headers } }),
          }
        : undefined;
      transport.send(message, options).catch((error: unknown) => {
        if (!pending.has(id)) return;
        const failure = failed(error, id);
        entry.settle(failure.outcome);
        onFailure?.(failure);
      });
    });
  }

  return {
    request: (request) => send(request, (message) => answered(message, era)),
    call: (request, awaited) => send(request, (message) => replied(message, era, awaited)),
    take(message) {
      const id = message["id"];
      if (id !== undefined) {
        if (typeof id !== "number" || id < FIRST_ID || "method" in message) return false;
        pending.get(id)?.answer(message);
        return true;
      }
      if (message["method"] !== "notifications/progress") return false;
      const params = message["params"];
      if (!isObject(params)) return false;
      const token = params["progressToken"];
      if (typeof token !== "number" || token < FIRST_ID) return false;
      const progress = progressOf(params);
      if (progress !== undefined) pending.get(token)?.onProgress?.(progress);
      return true;
    },
    unreadable(id, reason) {
      if (typeof id === "number") pending.get(id)?.settle(unread(reason));
    },
    end(reason) {
      if (ended !== undefined) return;
      ended = reason;
      for (const entry of [...pending.values()]) entry.settle(lost(reason));
    },
    open: () => pending.size,
  };
}

function progressOf(params: Readonly<Record<string, unknown>>): Progress | undefined {
  const { progress, total, message } = params;
  if (typeof progress !== "number") return undefined;
  return {
    progress,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message } : {}),
  };
}
