/** The door for `toolcrib stdio`: a local socket on which each connection is one MCP client. Its first line says which session it is. */
import { chmodSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { sessionAddress } from "../../actors/address.ts";
import type { ConnectionRow } from "../log/projections/sessions.ts";
import type { Reader } from "../log/reader.ts";
import type { Edge } from "../mcp/upstream/edge.ts";
import { STREAM_PREFIX } from "../mcp/upstream/stream-door.ts";
import type { Runtime } from "../runtime/turn.ts";

/** The first line of a connection, as JSON. */
export interface Hello {
  readonly session?: string;
  readonly profile?: string;
  /** What the process was given as a hook, or by one. */
  readonly led?: string;
}

export interface Streams {
  /** Connections that are open now, and since the start. */
  readonly open: number;
  readonly served: number;
  /** No new connections. */
  stopListening(): void;
  /** Ends those that are left. */
  stop(): void;
}
type Connect = Pick<Edge, "connectStream">;

const NEWLINE = 0x0a;
const MAX_HELLO_BYTES = 4096;
/** Any other name is as good as none. */
const NAME = /^[A-Za-z0-9._:-]{1,128}$/;

/** Whoever may open the socket is the local user, and calls as the agent `default`. */
export function listenStreams(path: string, edge: Connect): Streams {
  rmSync(path, { force: true });
  const sockets = new Set<Socket>();
  let served = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    served++;
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    greet(socket, edge);
  });
  server.listen(path, () => chmodSync(path, 0o600));
  return {
    get open() {
      return sockets.size;
    },
    get served() {
      return served;
    },
    stopListening() {
      server.close();
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      rmSync(path, { force: true });
    },
  };
}

/** The streams of a process that is gone have ended with it: their sessions may be inherited at once. */
export async function endStreams(runtime: Pick<Runtime, "enter">, log: Pick<Reader, "query">): Promise<void> {
  const open = log.query<Pick<ConnectionRow, "id" | "session">>(
    "select id, session from connections where open = 1 and id >= ? and id < ?",
    STREAM_PREFIX,
    `${STREAM_PREFIX}~`,
  );
  for (const { id, session } of open) await runtime.enter(sessionAddress(session), { type: "disconnect", connection: id });
}

/** Reads the first line, then hands every further byte to the edge. */
function greet(socket: Socket, edge: Connect): void {
  let head = Buffer.alloc(0);
  let push: ((chunk: Uint8Array) => void) | undefined;
  let finish = () => {
    socket.end();
  };
  socket.on("data", (chunk: Buffer) => {
    if (push) return push(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(NEWLINE);
    if (end < 0) {
      if (head.length > MAX_HELLO_BYTES) socket.destroy();
      return;
    }
    const opened = open(socket, edge, helloOf(head.subarray(0, end).toString()));
    push = opened.push;
    finish = opened.finish;
    if (end + 1 < head.length) push(head.subarray(end + 1));
  });
  socket.on("end", () => finish());
}

function open(socket: Socket, edge: Connect, { session, profile = "default", led }: Hello) {
  const { readable, push, finish } = pushable();
  const stream = {
    readable,
    write: (line: string) => void (socket.writable && socket.write(line)),
    end: () => void socket.end(),
  };
  const connection = edge.connectStream(stream, {
    principal: { agent: "default", profile },
    ...(session !== undefined && { sessionName: session }),
    ...(led !== undefined && { led }),
  });
  socket.on("close", () => void connection.close());
  return { push, finish };
}

function pushable() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const readable = new ReadableStream<Uint8Array>({
    start(made) {
      controller = made;
    },
    cancel() {
      controller = undefined;
    },
  });
  return {
    readable,
    push: (chunk: Uint8Array) => controller?.enqueue(new Uint8Array(chunk)),
    finish: () => {
      controller?.close();
      controller = undefined;
    },
  };
}

const isName = (value: unknown): value is string => typeof value === "string" && NAME.test(value);

function helloOf(line: string): Hello {
  try {
    const hello: unknown = JSON.parse(line);
    if (typeof hello !== "object" || hello === null) return {};
    const { session, profile, led } = hello as { readonly [key in keyof Hello]: unknown };
    return { ...(isName(session) && { session }), ...(isName(profile) && { profile }), ...(typeof led === "string" && { led }) };
  } catch {
    return {}; // an unnamed session
  }
}
