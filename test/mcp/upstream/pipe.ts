/** A byte stream in memory with the edge at its other end. */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { Backend } from "../../../src/mcp/upstream/backend.ts";
import { createEdge, type Edge, type EdgeOptions } from "../../../src/mcp/upstream/edge.ts";
import type { StreamConnection } from "../../../src/mcp/upstream/stream-door.ts";
import type { JsonObject } from "./serve.ts";

export interface Pipe extends AsyncDisposable {
  readonly edge: Edge;
  readonly connection: StreamConnection;
  write(text: string | Uint8Array): void;
  /** End of our input; what the edge still owes comes after it. */
  end(): void;
  /** What the edge writes. */
  readonly lines: AsyncGenerator<JsonObject>;
  next(): Promise<JsonObject>;
  rest(): Promise<JsonObject[]>;
}

/** Connects a pipe to an edge of its own, which is closed with it. */
export function openPipe(backend: Backend, { sessionName, ...options }: EdgeOptions & { readonly sessionName?: string } = {}): Pipe {
  const edge = createEdge(backend, options);
  const input = new TransformStream<Uint8Array, Uint8Array>({}, { highWaterMark: 64 }, { highWaterMark: 64 });
  const writer = input.writable.getWriter();
  const output = new TransformStream<JsonObject, JsonObject>({}, { highWaterMark: 1_000 }, { highWaterMark: 1_000 });
  const written = output.writable.getWriter();
  const connection = edge.connectStream(
    {
      readable: input.readable,
      write: (line) => {
        if (!line.endsWith("\n") || line.indexOf("\n") !== line.length - 1) throw new Error("not one line");
        void written.write(JSON.parse(line));
      },
      end: () => void written.close(),
    },
    { principal: { agent: "tester", profile: "default" }, ...(sessionName !== undefined && { sessionName }) },
  );
  async function* read(): AsyncGenerator<JsonObject> {
    yield* output.readable;
  }
  const lines = read();
  return {
    edge,
    [Symbol.asyncDispose]: () => edge.close(),
    connection,
    lines,
    write: (text) => void writer.write(typeof text === "string" ? new TextEncoder().encode(text) : text),
    end: () => void writer.close(),
    async next() {
      const { value } = await lines.next();
      return value ?? {};
    },
    async rest() {
      const all: JsonObject[] = [];
      for await (const line of lines) all.push(line);
      return all;
    },
  };
}

/** One message as a line. */
export function line(message: JsonObject): string {
  return `${JSON.stringify(message)}\n`;
}

/** What a legacy client says first. */
export const hello = {
  jsonrpc: "2.0",
  id: "init",
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

/** A transport for the SDK's client over the pipe. */
export function clientTransport(pipe: Pipe): Transport {
  const transport: Transport = {
    async start() {
      void (async () => {
        for await (const message of pipe.lines) transport.onmessage?.(message as JSONRPCMessage);
        transport.onclose?.();
      })();
    },
    async send(message) {
      pipe.write(line({ ...message }));
    },
    async close() {
      pipe.end();
    },
  };
  return transport;
}
