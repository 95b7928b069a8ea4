/** Connects to a server over Streamable HTTP, or over legacy SSE where that is all it has. */
import {
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { authorizationRequired } from "./authorization.ts";
import { authorized } from "./authorized-fetch.ts";
import { describeFailure, httpFailure } from "./call-outcome.ts";
import { type Connection, createConnection } from "./connection.ts";
import type { Downstream, Target } from "./downstream.ts";
import { createFetch, strictly } from "./fetch.ts";
import { DEFAULT_MAX_LINE_BYTES } from "./framing.ts";
import { shakeHands } from "./handshake.ts";
import type { ConnectOptions } from "./options.ts";
import { createRawCalls, type RawCalls } from "./raw-calls.ts";

type HttpTarget = Extract<Target, { kind: "http" }>;

/** With these answers to a POST the protocol lets a client try the older transport. */
const MAY_BE_SSE: readonly unknown[] = [400, 404, 405];
const SESSION_GONE = "the server no longer knows our session";
const END_SESSION_MS = 1000;

/** Attempts go to at most 30 s apart: about two minutes in all before an event stream counts as broken. */
const RECONNECTION = { initialReconnectionDelay: 1000, maxReconnectionDelay: 30_000, reconnectionDelayGrowFactor: 1.5, maxRetries: 10 };

/** Connects by what `target.mode` allows. Rejects with what happened and what to do. */
export async function connectHttp(target: HttpTarget, options: ConnectOptions): Promise<Downstream> {
  if (!/^https?:$/.test(URL.parse(target.url)?.protocol ?? ""))
    throw new Error('The "url" of a server has to be an http:// or https:// address.');
  const deadline = performance.now() + options.connectTimeoutMs;
  const left = (): number => Math.max(1, deadline - performance.now());
  if (target.mode === "sse") return attempt(target, "sse", options, false, left()).catch((error) => rejectWith(target, error));
  const askFirst = options.eraHint?.era !== "legacy";
  try {
    return await attempt(target, "streamable-http", options, askFirst, left());
  } catch (error) {
    const status = httpFailure(error)?.status;
    if (!MAY_BE_SSE.includes(status)) return rejectWith(target, error);
    if (!askFirst) {
      // What was a legacy server may have become a modern-only one.
      const second = await attempt(target, "streamable-http", options, true, left()).catch(() => undefined);
      if (second !== undefined) return second;
    }
    if (target.mode === "streamable-http") return rejectWith(target, error);
    return attempt(target, "sse", options, false, left()).catch(() => rejectWith(target, error));
  }
}

async function attempt(
  target: HttpTarget,
  transportName: "streamable-http" | "sse",
  options: ConnectOptions,
  askEra: boolean,
  timeoutMs: number,
): Promise<Downstream> {
  let connection: Connection | undefined;
  let calls: RawCalls | undefined;
  const init = { requestInit: { headers: { ...target.headers } } };
  const url = new URL(target.url);
  const streamable = transportName === "streamable-http";
  const limit = options.maxMessageBytes ?? DEFAULT_MAX_LINE_BYTES;
  const plain = createFetch(limit, target.guarded ? options.guardedFetch : undefined);
  let required: unknown;
  const onRequired = (error: unknown) => {
    required = error;
  };
  const fetch = options.authorization === undefined ? plain : authorized(plain, url, options.authorization, onRequired);
  const transport = streamable
    ? new StreamableHTTPClientTransport(url, { ...init, fetch, reconnectionOptions: RECONNECTION })
    : new SSEClientTransport(url, { ...init, fetch: strictly(fetch) });

  let checking = false;
  let timedOut = false;
  const expired = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    timedOut = true;
    void transport.close();
    expired.reject(new Error("timed out"));
  }, timeoutMs);
  try {
    const handshake = await Promise.race([
      shakeHands(transport, transportName, options, { askEra, timeoutMs, onError: (error) => judge(error) }),
      // An SSE server that never names its endpoint leaves the SDK waiting even after close().
      expired.promise,
    ]);
    const raw = createRawCalls({
      transport,
      envelope: handshake.envelope,
      onFailure: ({ status }) => {
        if (sessionOf(transport) === undefined) return;
        if (status === 404) connection?.broke(SESSION_GONE);
        // Not what the protocol says, but what many servers answer for a session they do not know; it may also be about the one call.
        else if (status === 400) void checkSession();
      },
    });
    calls = raw;
    const deliver = transport.onmessage;
    transport.onmessage = (message) => {
      if (!raw.take({ ...message })) deliver?.(message);
    };
    connection = createConnection(
      {
        handshake,
        calls: raw,
        mirrorsHeaders: streamable && handshake.introduction.era === "modern",
        stderr: () => [],
        closeTransport: () => endSession(transport),
      },
      options,
    );
    return connection.downstream;
  } catch (error) {
    await transport.close().catch(() => undefined);
    if (required !== undefined) throw required;
    throw timedOut ? new Error(`no answer within ${Math.round(timeoutMs)} ms`, { cause: error }) : error;
  } finally {
    clearTimeout(timer);
  }

  /** Which of the errors that belong to no request mean the end of the connection. */
  function judge(error: Error): void {
    if (error instanceof SseError) connection?.broke("the event stream broke");
    else if (error.message.startsWith("Maximum reconnection attempts"))
      connection?.broke("the event stream broke and could not be opened again");
    else if (error instanceof SdkHttpError && error.code === SdkErrorCode.ClientHttpFailedToOpenStream) {
      // Either the session is gone (404 by the protocol, 400 at many servers), or this server just has no event stream to offer.
      if (error.data.status === 404 || error.data.status === 400) void checkSession();
    }
  }

  async function checkSession(): Promise<void> {
    if (checking || calls === undefined) return;
    checking = true;
    const outcome = await calls.request({ method: "ping", params: {} });
    checking = false;
    if (outcome.kind === "not_sent" && outcome.status === 400) connection?.broke(SESSION_GONE);
  }
}

function sessionOf(transport: Transport): string | undefined {
  return transport.sessionId;
}

/** Tells the server that the session is over; its answer is not waited for beyond a second. */
async function endSession(transport: StreamableHTTPClientTransport | SSEClientTransport): Promise<void> {
  if (transport instanceof SSEClientTransport || transport.sessionId === undefined) return;
  const limit = Promise.withResolvers<void>();
  const timer = setTimeout(limit.resolve, END_SESSION_MS);
  await Promise.race([transport.terminateSession().catch(() => undefined), limit.promise]);
  clearTimeout(timer);
}

function rejectWith(target: HttpTarget, error: unknown): never {
  if (authorizationRequired(error) !== undefined) throw error;
  const { origin, pathname } = new URL(target.url);
  const status = httpFailure(error)?.status;
  throw new Error(`Cannot connect to ${origin}${pathname}: ${describeFailure(error)}. ${adviceFor(status)}`, { cause: error });
}

function adviceFor(status: number | undefined): string {
  if (status === 401 || status === 403) return "Check the credentials in this server's headers.";
  if (status === 404 || status === 405 || status === 400) return "Check the path: this address does not answer as an MCP server.";
  if (status !== undefined && status >= 500) return "The server is ill; look at its own log.";
  return "Check the address and that the server runs.";
}
