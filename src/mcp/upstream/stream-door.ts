/** MCP over a byte stream (stdio, a socket): one connection, one session, both eras. */
import { CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY, type Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Principal, Session, ToolResult } from "./backend.ts";
import type { Message } from "./body.ts";
import type { Cancellable } from "./http-session.ts";
import { isObject, type JsonObject } from "./json.ts";
import { type ByteStream, createLineTransport } from "./line-transport.ts";
import { createEnvelopeCheck } from "./modern.ts";
import { legacyResult, modernResult, runPlain } from "./results.ts";
import { echoedId, errorText, INTERNAL_ERROR, INVALID_PARAMS, resultText } from "./rpc.ts";
import { createSdkServer, type ServerParts } from "./sdk-server.ts";
import { clientOf, requestedName } from "./session-name.ts";
import { markRefused, type PlainCall, plainCallOf, refusalOf } from "./tool-call.ts";

export interface StreamConnection {
  /** Resolves when the connection is over and everything owed was answered. */
  readonly closed: Promise<void>;
  /** Ends it now: the peer is gone. Calls that run are aborted as `disconnected`. */
  close(): Promise<void>;
}

export interface StreamDoor {
  connect(stream: ByteStream, principal: Principal, sessionName: string | undefined): StreamConnection;
  toolsChanged(sessions: ReadonlySet<string>): void;
  close(): Promise<void>;
}

export interface StreamDoorOptions {
  readonly handPath: boolean;
  readonly maxBytes: number;
  readonly onHandCall: () => void;
}

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

  function connect(stream: ByteStream, principal: Principal, sessionName: string | undefined): StreamConnection {
    const running = new Set<Cancellable>();
    let opening: JsonObject = {};
    let pinned: Pinned | undefined;
    let isOpen = false;

    const lines = createLineTransport(stream, options.maxBytes, {
      onError: parts.onError,
      sent(message, request) {
        // The era is settled by the first answer to anything but a probe; before that the SDK decides alone.
        if (request !== undefined && "result" in message && !("supportedVersions" in message.result)) isOpen = true;
      },
      take(message) {
        const { value } = message;
        if (!isObject(value)) return value;
        const params = isObject(value["params"]) ? value["params"] : {};
        if (!isOpen) {
          const name = requestedName(params["_meta"], undefined);
          if (name instanceof Error) return void lines.write(errorText(echoedId(value), INVALID_PARAMS, name.message));
          opening = params;
        }
        if (value["method"] === "notifications/cancelled") {
          for (const call of running) if (call.id === params["requestId"]) call.cancel("cancelled");
        }
        return value["method"] === "tools/call" ? takeCall(message, value, params) : value;
      },
    });

    function takeCall(message: Message, value: JsonObject, params: JsonObject): JsonObject | undefined {
      const refusal = refusalOf(params, message.text);
      if (refusal !== undefined) return markRefused(value, refusal);
      const call = plainCallOf(value);
      if (call === undefined || pinned === undefined || !mayRun(call, pinned, value)) return value;
      options.onHandCall();
      runByHand(call, pinned);
      return undefined;
    }

    function mayRun(call: PlainCall, { era, session }: Pinned, value: JsonObject): boolean {
      if (!options.handPath || !isOpen || !backend.isPlain(session, call.name)) return false;
      if (era === "legacy") return call.meta === undefined || !(PROTOCOL_VERSION_META_KEY in call.meta);
      return call.meta !== undefined && isValidEnvelope(value, call.meta);
    }

    function runByHand(call: PlainCall, { era, session, server }: Pinned): void {
      const controller = new AbortController();
      const given = lines.owe();
      let waiting = true;
      const entry: Cancellable = {
        id: call.id,
        cancel(reason) {
          if (!running.delete(entry)) return;
          waiting = false;
          controller.abort(reason);
          given();
        },
      };
      running.add(entry);
      void runPlain(backend, session, call, controller.signal, parts.onError).then((result) => {
        if (!waiting) return;
        running.delete(entry);
        const schema = facts.of(session, call.name)?.outputSchema;
        const project = (given: ToolResult) => (era === "modern" ? modernResult(given, backend.info) : legacyResult(given, server, schema));
        lines.write(result === undefined ? errorText(call.id, INTERNAL_ERROR, "Internal error") : resultText(call.id, project(result)));
        given();
      });
    }

    async function serverFor({ era }: { readonly era: "legacy" | "modern" }): Promise<Server> {
      const meta = isObject(opening["_meta"]) ? opening["_meta"] : {};
      const wanted = requestedName(meta, undefined);
      const name = typeof wanted === "string" ? wanted : sessionName;
      const client = clientOf(era === "legacy" ? opening["clientInfo"] : meta[CLIENT_INFO_META_KEY]);
      const session = await backend.openSession({ principal, client, era, ...(name !== undefined && { name }) });
      const server = createSdkServer(parts, session, era);
      pinned = { era, session, server };
      return server;
    }

    const handle = serveStdio(serverFor, { transport: lines.transport, onerror: parts.onError });
    const connection: StreamConnection = {
      closed: lines.closed.then(() => {
        connections.delete(connection);
        for (const call of running) call.cancel("disconnected");
      }),
      close: () => handle.close(),
    };
    connections.set(connection, () => pinned);
    return connection;
  }

  return {
    connect,
    toolsChanged(sessions) {
      for (const pinned of connections.values()) {
        const current = pinned();
        if (current !== undefined && sessions.has(current.session.id)) current.server.sendToolListChanged().catch(parts.onError);
      }
    },
    async close() {
      await Promise.all([...connections.keys()].map((connection) => connection.close()));
    },
  };
}
