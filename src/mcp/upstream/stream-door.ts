/** MCP over a byte stream (stdio, a socket): one connection, one session, both eras. */

import { CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY, type Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { brokenBound, INPUT_LIMITS } from "../../observe/bounds.ts";
import { createStop } from "../stop.ts";
import { type ChangedSessions, type ChangingList, isSessionRefusal, type Session, type ToolResult } from "./backend.ts";
import type { Message } from "./body.ts";
import { type ClientAbilities, legacyAbilities, modernAbilities } from "./client-abilities.ts";
import type { Cancellable } from "./http-session.ts";
import { isObject, type JsonObject } from "./json.ts";
import { type ByteStream, createLineTransport, type StreamPeer } from "./line-transport.ts";
import { createEnvelopeCheck } from "./modern.ts";
import { callByHand, legacyResult, modernResult } from "./results.ts";
import { echoedId, errorText, HTTP_ERROR, INVALID_PARAMS, INVALID_REQUEST } from "./rpc.ts";
import { createSdkServer, type ServerParts } from "./sdk-server.ts";
import { clientOf, requestedName } from "./session-name.ts";
import { createStreamWatches } from "./stream-watches.ts";
import { markLed, markRefused, mayBeRefused, type PlainCall, plainCallOf, refusalOf } from "./tool-call.ts";

export interface StreamConnection {
  /** Resolves when the connection is over and everything owed was answered. */
  readonly closed: Promise<void>;
  /** Ends it now: the peer is gone. Calls that run are aborted as `disconnected`. */
  close(): Promise<void>;
}

export interface StreamDoor {
  connect(stream: ByteStream, peer: StreamPeer): StreamConnection;
  listChanged(list: ChangingList, sessions: ChangedSessions): void;
  close(): Promise<void>;
}

export interface StreamDoorOptions {
  readonly handPath: boolean;
  readonly maxBytes: number;
  readonly onHandCall: () => void;
}

/** Connection ids of streams begin so: none of them outlives its process. */
export const STREAM_PREFIX = "stream-";

/** What is fixed once the opening message has been served. */
interface Pinned {
  readonly era: "legacy" | "modern";
  readonly session: Session;
  readonly server: Server;
}

/** The door for byte streams. */
export function createStreamDoor(parts: ServerParts, options: StreamDoorOptions): StreamDoor {
  const { backend, facts } = parts;
  const isValidEnvelope = createEnvelopeCheck();
  const connections = new Map<StreamConnection, () => Pinned | undefined>();

  function connect(stream: ByteStream, { principal, sessionName, led }: StreamPeer): StreamConnection {
    const running = new Set<Cancellable>();
    const streamId = `${STREAM_PREFIX}${crypto.randomUUID()}`;
    /** The params of `initialize`, and of the first modern message: several may arrive before a server is made. */
    let initialize: JsonObject | undefined;
    let firstModern: JsonObject | undefined;
    let pinned: Pinned | undefined;
    let isOpen = false;
    /** Why the backend gave no session: the SDK would only say "internal error". */
    let refusal: string | undefined;

    const lines = createLineTransport(stream, options.maxBytes, {
      onError: parts.onError,
      answer(message) {
        // The era is settled by the first answer to anything but a probe; before that the SDK decides alone.
        if ("result" in message && !("supportedVersions" in message.result)) isOpen = true;
        if (refusal === undefined || !("error" in message)) return message;
        return { ...message, error: { code: HTTP_ERROR, message: refusal } };
      },
      notify: (message) => watches?.take(message) === true,
      take(message) {
        const { value } = message;
        if (!isObject(value)) return value;
        markLed(value, led);
        const params = isObject(value["params"]) ? value["params"] : {};
        if (!isOpen) {
          const name = requestedName(params["_meta"], undefined);
          if (name instanceof Error) return refuse(value, INVALID_PARAMS, name.message);
          if (value["method"] === "initialize") initialize = params;
          if (isObject(params["_meta"]) && PROTOCOL_VERSION_META_KEY in params["_meta"]) firstModern ??= params;
        }
        if (value["method"] === "notifications/cancelled") {
          for (const call of running) if (call.id === params["requestId"]) call.cancel("cancelled");
          watches?.cancel(params["requestId"]);
        }
        const handedOn = mayBeRefused(value) ? takeCall(message, value, params) : value;
        if (handedOn === undefined || brokenBound(handedOn, Number.POSITIVE_INFINITY) !== "depth") return handedOn;
        return refuse(value, INVALID_REQUEST, `Invalid Request: the message is nested deeper than ${INPUT_LIMITS.depth} levels`);
      },
    });

    const { surface } = backend;
    const watches = surface && createStreamWatches(surface, () => pinned?.session, lines.write);

    function refuse(message: JsonObject, code: number, reason: string): undefined {
      lines.write(errorText(echoedId(message), code, reason));
    }

    function takeCall(message: Message, value: JsonObject, params: JsonObject): JsonObject | undefined {
      const refused = refusalOf(params, message.text);
      if (refused !== undefined) return markRefused(value, refused);
      const call = plainCallOf(value);
      if (call === undefined || pinned === undefined || !mayRun(call, pinned, value)) return value;
      options.onHandCall();
      runByHand(call, pinned);
      return undefined;
    }

    function clientOfCall(call: PlainCall, { era, server }: Pinned): ClientAbilities {
      return era === "modern" ? modernAbilities(call.meta) : legacyAbilities(server);
    }

    function mayRun(call: PlainCall, opened: Pinned, value: JsonObject): boolean {
      const { era, session } = opened;
      if (!options.handPath || !isOpen || !backend.isPlain(session, call, clientOfCall(call, opened))) return false;
      if (era === "legacy") return call.meta === undefined || !(PROTOCOL_VERSION_META_KEY in call.meta);
      return call.meta !== undefined && isValidEnvelope(value, call.meta);
    }

    function runByHand(call: PlainCall, opened: Pinned): void {
      const { era, session, server } = opened;
      const controller = createStop();
      const given = lines.owe();
      const entry: Cancellable = {
        id: call.id,
        cancel(reason) {
          if (!running.delete(entry)) return;
          controller.abort(reason);
          given();
        },
      };
      running.add(entry);
      const project = (result: ToolResult) =>
        era === "modern"
          ? modernResult(result, backend.info)
          : legacyResult(result, server, () => facts.of(session, call.name)?.outputSchema);
      const asker = { session, client: clientOfCall(call, opened), project };
      void callByHand(backend, asker, call, controller.signal, parts.onError).then(({ text }) => {
        if (!running.delete(entry)) return;
        lines.write(text);
        given();
      });
    }

    async function serverFor({ era }: { readonly era: "legacy" | "modern" }): Promise<Server> {
      const opening = (era === "legacy" ? initialize : firstModern) ?? {};
      const meta = isObject(opening["_meta"]) ? opening["_meta"] : {};
      const wanted = requestedName(meta, undefined);
      const name = typeof wanted === "string" ? wanted : sessionName;
      const client = clientOf(era === "legacy" ? opening["clientInfo"] : meta[CLIENT_INFO_META_KEY]);
      refusal = undefined;
      const asConnection = { id: streamId, initialize: {} }; // nothing to resume: a stream ends with its peer
      const request = { principal, client, era, connection: asConnection, ...(name !== undefined && { name }) };
      const session = await backend.openSession(request).catch((error) => {
        firstModern = undefined;
        if (isSessionRefusal(error)) refusal = error.message;
        throw error;
      });
      const server = createSdkServer(parts, session, era);
      pinned = { era, session, server };
      return server;
    }

    const handle = serveStdio(serverFor, { transport: lines.transport, onerror: parts.onError });
    const connection: StreamConnection = {
      closed: lines.closed.then(() => {
        connections.delete(connection);
        for (const call of running) call.cancel("disconnected");
        watches?.close();
        if (pinned !== undefined) backend.closeConnection(pinned.session, streamId).catch(parts.onError);
      }),
      close: () => handle.close(),
    };
    connections.set(connection, () => pinned);
    return connection;
  }

  return {
    connect,
    listChanged(list, sessions) {
      for (const pinned of connections.values()) {
        const current = pinned();
        if (current === undefined || !sessions.has(current.session.id)) continue;
        current.server.notification({ method: `notifications/${list}/list_changed` }).catch(parts.onError);
      }
    },
    async close() {
      await Promise.all([...connections.keys()].map((connection) => connection.close()));
    },
  };
}
