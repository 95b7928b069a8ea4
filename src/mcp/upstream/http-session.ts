/** Our transport for one legacy HTTP session: joins POSTs, the notification stream and the SDK's server. */
import type { JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, Transport } from "@modelcontextprotocol/server";
import { type EventStream, emptyEventStream, openEventStream } from "./event-stream.ts";
import { jsonResponse, type RequestId } from "./rpc.ts";

export interface Times {
  /** Silence after which a waiting answer becomes an SSE stream, ms. */
  readonly streamAfterMs: number;
  /** Between two comments of an SSE stream, ms. */
  readonly keepAliveMs: number;
}

/** Something a client can cancel by the id it gave. */
export interface Cancellable {
  readonly id: RequestId;
  /** `cancelled`: the client said so; `disconnected`: it is gone. */
  cancel(reason: "cancelled" | "disconnected"): void;
}

export interface HttpSession {
  readonly transport: Transport;
  /** Hands a request to the SDK's server and waits for its answer. */
  request(message: JSONRPCRequest, request: { readonly signal: AbortSignal }): Promise<Response>;
  /** Hands over a notification or the response to a request of ours. */
  deliver(message: JSONRPCNotification | JSONRPCResponse): void;
  /** Opens the stream of notifications; the newest one replaces an older one. */
  openStream(): Response;
  /** Sends a notification without params on the stream, or keeps it for the next one. */
  announce(method: string): void;
  /** Calls that run outside the SDK, so that they can be cancelled too. */
  readonly running: Set<Cancellable>;
  /** True while something is open that a client waits for. */
  busy(): boolean;
}

interface Exchange extends Cancellable {
  send(text: string): void;
  finish(text: string): void;
}

const MAX_KEPT = 100;

/** The ids that the SDK sees are ours: a client may use one id twice at the same time. */
export function createHttpSession(times: Times): HttpSession {
  const exchanges = new Map<number, Exchange>();
  const running = new Set<Cancellable>();
  /** Messages for the stream that came while there was none; equal ones once. */
  const kept = new Set<string>();
  /** Requests of this server start at a random id, so that an answer meant for a server before a restart hits nothing. */
  const firstId = Math.floor(Math.random() * 2 ** 30) * 2 ** 20;
  let lastId = 0;
  let stream: EventStream | undefined;

  const transport: Transport = {
    start: () => Promise.resolve(),
    async send(message, options) {
      if ("method" in message) {
        const outward = "id" in message && typeof message.id === "number" ? { ...message, id: message.id + firstId } : message;
        const related = options?.relatedRequestId;
        if (related === undefined) tell(JSON.stringify(outward));
        else exchanges.get(Number(related))?.send(JSON.stringify(outward));
        return;
      }
      const exchange = exchanges.get(Number(message.id));
      exchange?.finish(JSON.stringify({ ...message, id: exchange.id }));
    },
    async close() {
      stream?.end();
      for (const open of [...exchanges.values(), ...running]) open.cancel("disconnected");
      transport.onclose?.();
    },
  };

  function tell(text: string): void {
    if (stream !== undefined) stream.send(text);
    else if (kept.size < MAX_KEPT) kept.add(text);
  }

  function request(message: JSONRPCRequest, { signal }: { readonly signal: AbortSignal }): Promise<Response> {
    if (signal.aborted) return Promise.resolve(emptyEventStream());
    const inner = ++lastId;
    return new Promise((resolve) => {
      let events: EventStream | undefined;
      const left = () => exchange.cancel("disconnected");
      const open = () => {
        if (events !== undefined) return events;
        events = openEventStream(times.keepAliveMs, left);
        resolve(events.response);
        return events;
      };
      const late = setTimeout(open, times.streamAfterMs);
      const leave = () => {
        clearTimeout(late);
        signal.removeEventListener("abort", left);
        return exchanges.delete(inner);
      };
      const exchange: Exchange = {
        id: message.id,
        send: (text) => open().send(text),
        finish(text) {
          leave();
          if (events === undefined) resolve(jsonResponse(text));
          events?.send(text);
          events?.end();
        },
        cancel(reason) {
          if (!leave()) return;
          transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: inner, reason } });
          if (events === undefined) resolve(emptyEventStream());
          else events.end();
        },
      };
      exchanges.set(inner, exchange);
      signal.addEventListener("abort", left, { once: true });
      transport.onmessage?.({ ...message, id: inner });
    });
  }

  return {
    transport,
    request,
    running,
    deliver(message) {
      if ("method" in message) {
        if (message.method !== "notifications/cancelled") transport.onmessage?.(message);
        else
          for (const open of [...exchanges.values(), ...running]) if (open.id === message.params?.["requestId"]) open.cancel("cancelled");
      } else transport.onmessage?.(inward(message, firstId));
    },
    openStream() {
      stream?.end();
      const opened = openEventStream(times.keepAliveMs, () => {
        if (stream === opened) stream = undefined;
      });
      stream = opened;
      for (const text of kept) opened.send(text);
      kept.clear();
      return opened.response;
    },
    announce: (method) => tell(JSON.stringify({ jsonrpc: "2.0", method })),
    busy: () => stream !== undefined || exchanges.size > 0 || running.size > 0,
  };
}

/** A client's response, with the id that the SDK gave its request. */
function inward(message: JSONRPCResponse, firstId: number): JSONRPCMessage {
  return typeof message.id === "number" ? { ...message, id: message.id - firstId } : message;
}
