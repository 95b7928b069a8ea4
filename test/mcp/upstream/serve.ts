/** The edge on a port, and requests to it written by hand. */
import { expect } from "bun:test";
import type { Backend } from "../../../src/mcp/upstream/backend.ts";
import { createEdge, type Edge, type EdgeOptions } from "../../../src/mcp/upstream/edge.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export interface Served {
  readonly url: URL;
  readonly edge: Edge;
  /** POSTs a message (an object, or a body as it is) with the headers of a well-behaved client. */
  post(body: unknown, headers?: Readonly<Record<string, string | undefined>>): Promise<Response>;
  close(): Promise<void>;
}

/** What every POST carries. */
export const plainHeaders = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Serves a backend; who calls is said by the header `x-agent` (default `tester`). */
export function serve(backend: Backend, options: EdgeOptions = {}, port = 0): Served {
  const edge = createEdge(backend, options);
  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    fetch: (request, bun) => edge.fetch(request, { agent: request.headers.get("x-agent") ?? "tester", profile: "default" }, bun),
  });
  const url = new URL(`http://127.0.0.1:${server.port}/mcp`);
  return {
    url,
    edge,
    post(body, given = {}) {
      const headers = new Headers(plainHeaders);
      for (const [name, value] of Object.entries(given)) value === undefined ? headers.delete(name) : headers.set(name, value);
      return fetch(url, {
        method: "POST",
        headers,
        body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
      });
    },
    async close() {
      await edge.close();
      await server.stop(true);
    },
  };
}

/** Opens a legacy session and gives the headers that belong to it. */
export async function initialize(served: Served, headers: Readonly<Record<string, string>> = {}, params: JsonObject = {}) {
  const clientInfo = { name: "raw", version: "1" };
  const given = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo, ...params };
  const answer = await served.post({ jsonrpc: "2.0", id: 0, method: "initialize", params: given }, headers);
  const id = answer.headers.get("mcp-session-id");
  if (id === null) throw new Error(`initialize was refused: ${answer.status} ${await answer.text()}`);
  await answer.body?.cancel();
  await served.post({ jsonrpc: "2.0", method: "notifications/initialized" }, { ...headers, "mcp-session-id": id });
  return { ...headers, "mcp-session-id": id };
}

/** A `tools/call` as a legacy client writes it. */
export function call(id: unknown, name: string, args: unknown = {}, meta?: JsonObject): JsonObject {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args, ...(meta !== undefined && { _meta: meta }) } };
}

export const MODERN = "2026-07-28";

/** The `_meta` of a modern request. */
export function envelope(more: JsonObject = {}): JsonObject {
  return {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
    ...more,
  };
}

/** The headers that mirror a modern `tools/call`. */
export function modernHeaders(name: string): Record<string, string> {
  return { "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": name };
}

/** The JSON-RPC messages of an answer, whether it is JSON or a stream. */
export async function messagesOf(response: Response): Promise<JsonObject[]> {
  const text = await response.text();
  if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) return text === "" ? [] : [JSON.parse(text)];
  return [...text.matchAll(/^data: (.*)$/gm)].map((match) => JSON.parse(match[1] ?? "null"));
}

/** The message of an answer that has one. */
export async function onlyMessage(response: Response): Promise<JsonObject> {
  const [message, ...more] = await messagesOf(response);
  expect(more).toEqual([]);
  return message ?? {};
}

/** The result of a message as text, to look for something in it. */
export function textOf(message: JsonObject): string {
  return JSON.stringify(message["result"]);
}

/** HTTP status and JSON-RPC code of an answer that is an error. */
export async function errorOf(response: Response): Promise<{ status: number; code: unknown }> {
  const { error } = (await response.json()) as { error?: { code?: unknown } };
  return { status: response.status, code: error?.code };
}

/** Reads an open stream message by message. */
export async function* events(response: Response): AsyncGenerator<JsonObject> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) yield JSON.parse(line.slice(6));
  }
}
