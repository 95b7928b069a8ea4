/** A transport over newline-delimited JSON that keeps its promises at the end of input: it answers what it owes, then ends. */

import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCResponse,
  parseJSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import type { Principal } from "./backend.ts";
import { type Message, parseMessage } from "./body.ts";
import { isObject } from "./json.ts";
import { linesOf } from "./lines.ts";
import { echoedId, errorText, INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, type RequestId } from "./rpc.ts";

/** Who is on the other end of a byte stream. `led`: which hook its calls come from. */
export interface StreamPeer {
  readonly principal: Principal;
  readonly sessionName?: string;
  readonly led?: string;
}

/** Two directions of bytes, e.g. one socket. */
export interface ByteStream {
  readonly readable: ReadableStream<Uint8Array>;
  /** Takes one line with its newline. May throw when the peer is gone. */
  write(line: string): unknown;
  /** Called once, after the last line. */
  end(): void;
}

export interface LineTransport {
  readonly transport: Transport;
  /** Writes the text of a message. */
  write(text: string): void;
  /** Notes that an answer is owed outside the SDK; the returned function says that it was given. */
  owe(): () => void;
  /** Resolves when everything is over. */
  readonly closed: Promise<void>;
}

export interface LineHooks {
  /** Sees every message before the SDK. Returns what to hand on to it; undefined: it is dealt with. */
  take(message: Message): unknown;
  /** Sees every answer of the SDK's server before it is written, and may write another. */
  answer(message: JSONRPCResponse): JSONRPCResponse;
  /** Sees every notification of the SDK's server; true: it is dealt with, or will be. */
  notify(message: JSONRPCNotification): boolean;
  onError(error: unknown): void;
}

/** How the ids begin that we give requests towards the SDK. */
const OURS = "toolcrib#";
/** The request whose id has a meaning beyond the answer: it names the subscription in every notification. Nobody waits for its end. */
const SUBSCRIBE = "subscriptions/listen";

/** Ids towards the SDK are ours, since a client may use one twice at the same time; those of subscriptions stay as they are. */
export function createLineTransport(stream: ByteStream, maxBytes: number, hooks: LineHooks): LineTransport {
  const open = new Map<string, RequestId>();
  /** Requests of the SDK's server that the client has not answered. */
  const asked = new Set<RequestId>();
  const over = Promise.withResolvers<void>();
  let owed = 0;
  let lastId = 0;
  let atEnd = false;
  let closed = false;

  const transport: Transport = {
    async start() {
      void read();
    },
    async send(message) {
      if (!("method" in message)) {
        const inner = String(message.id);
        const id = open.get(inner);
        if (id === undefined && inner.startsWith(OURS)) return; // It was cancelled a moment ago.
        open.delete(inner);
        write(JSON.stringify({ ...hooks.answer(message), id: id ?? message.id }));
        return endIfDone();
      }
      if ("id" in message) {
        asked.add(message.id);
        if (atEnd) return refuse(message.id);
      } else if (hooks.notify(message)) return;
      write(JSON.stringify(message));
    },
    async close() {
      if (closed) return;
      closed = true;
      transport.onclose?.();
      try {
        stream.end();
      } catch (error) {
        hooks.onError(error);
      }
      over.resolve();
    },
  };

  function write(text: string): void {
    if (closed) return;
    try {
      stream.write(`${text}\n`);
    } catch (error) {
      hooks.onError(error);
      void transport.close();
    }
  }

  function endIfDone(): void {
    if (atEnd && open.size === 0 && owed === 0) void transport.close();
  }

  /** Nobody will answer this any more: the handler that asks must not wait. */
  function refuse(id: RequestId): void {
    asked.delete(id);
    transport.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32_000, message: "The client closed its side of the connection" } });
  }

  async function read(): Promise<void> {
    try {
      for await (const line of linesOf(stream.readable, maxBytes)) receive(line);
    } catch (error) {
      hooks.onError(error);
      return transport.close();
    }
    atEnd = true;
    for (const id of asked) refuse(id);
    endIfDone();
  }

  function receive(line: Uint8Array | undefined): void {
    const message = line === undefined ? undefined : parseMessage(line);
    if (message === undefined) {
      const problem = line === undefined ? `a line must not exceed ${maxBytes} bytes` : "the line is not valid JSON in UTF-8";
      write(errorText(null, PARSE_ERROR, `Parse error: ${problem}`));
      return;
    }
    try {
      const value = hooks.take(message);
      if (value !== undefined) deliver(value);
    } catch (error) {
      hooks.onError(error);
      write(errorText(echoedId(message.value), INTERNAL_ERROR, "Internal error"));
    }
  }

  function deliver(value: unknown): void {
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      const text = Array.isArray(value) ? "JSON-RPC batches are not supported; send one message per line" : "not a JSON-RPC message";
      write(errorText(echoedId(value), INVALID_REQUEST, `Invalid Request: ${text}`));
      return;
    }
    if (isJSONRPCRequest(message) && message.method !== SUBSCRIBE) {
      const inner = `${OURS}${++lastId}`;
      open.set(inner, message.id);
      transport.onmessage?.({ ...message, id: inner });
    } else if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
      const params = isObject(message.params) ? message.params : {};
      for (const [inner, id] of open) {
        if (id !== params["requestId"]) continue;
        open.delete(inner); // The SDK does not answer what was cancelled.
        transport.onmessage?.({ ...message, params: { ...params, requestId: inner, reason: "cancelled" } });
      }
      transport.onmessage?.(message);
    } else {
      if ("id" in message && message.id !== undefined) asked.delete(message.id);
      transport.onmessage?.(message);
    }
  }

  return {
    transport,
    write,
    closed: over.promise,
    owe() {
      owed++;
      return () => {
        owed--;
        endIfDone();
      };
    },
  };
}
