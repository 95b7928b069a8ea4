/** Small MCP clients without an SDK, so that the load costs the same and little in front of every gateway: Streamable HTTP and legacy HTTP+SSE. */
import http from "node:http";

/** How to reach a running system. */
export interface Target {
  readonly type: "http" | "sse";
  readonly url: string;
}

export interface ToolResult {
  readonly isError?: boolean;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
}

export interface LoadClient {
  initialize(): Promise<{ readonly protocolVersion: string }>;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult>;
  close(): void;
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

interface Waiter {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

const PROTOCOL = "2025-06-18";
const TIMEOUT_MS = 30_000;

/** Cuts an event stream into events; call the returned function with each chunk. */
function sseParser(onEvent: (event: string, data: string) => void): (chunk: string) => void {
  let buffer = "";
  return (chunk) => {
    buffer += chunk;
    for (let end = buffer.search(/\r?\n\r?\n/); end >= 0; end = buffer.search(/\r?\n\r?\n/)) {
      const raw = buffer.slice(0, end);
      buffer = buffer.slice(end + (buffer[end] === "\r" ? 4 : 2));
      let event = "message";
      let data = "";
      for (const line of raw.split(/\r?\n/)) {
        if (line.startsWith("event:")) event = line.slice(6).trim();
        else if (line.startsWith("data:")) data += (data ? "\n" : "") + line.slice(5).replace(/^ /, "");
      }
      if (data) onEvent(event, data);
    }
  };
}

/** The JSON-RPC half both transports share: `send` delivers one message, `settle` takes what came back. */
function rpc(send: (body: unknown, id?: number) => Promise<void>, onClose: () => void) {
  let next = 1;
  const waiting = new Map<string | number, Waiter>();
  const fail = (id: number, error: Error): void => {
    const waiter = waiting.get(id);
    waiting.delete(id);
    waiter?.reject(error);
  };
  const settle = (text: string): void => {
    const message = JSON.parse(text) as Message;
    if (message.method !== undefined || message.id === undefined) return; // notifications and requests of the server: not needed here
    const waiter = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error) waiter?.reject(new Error(`${message.error.code} ${message.error.message}`));
    else waiter?.resolve(message.result);
  };
  const request = (method: string, params: unknown): Promise<unknown> => {
    const id = next++;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      send({ jsonrpc: "2.0", id, method, params }, id).catch((error: Error) => fail(id, error));
    });
  };
  const client: LoadClient = {
    async initialize() {
      const clientInfo = { name: "bench", version: "1.0.0" };
      const info = (await request("initialize", { protocolVersion: PROTOCOL, capabilities: {}, clientInfo })) as { protocolVersion: string };
      await send({ jsonrpc: "2.0", method: "notifications/initialized" });
      return info;
    },
    listTools: () => request("tools/list", {}) as ReturnType<LoadClient["listTools"]>,
    callTool: (name, args) => request("tools/call", { name, arguments: args }) as Promise<ToolResult>,
    close: onClose,
  };
  const failAll = (error: Error): void => {
    for (const waiter of waiting.values()) waiter.reject(error);
    waiting.clear();
  };
  return { client, settle, fail, failAll };
}

/** One legacy Streamable HTTP session (protocol 2025-06-18). */
function httpClient(url: string): LoadClient {
  const { hostname, port, pathname } = new URL(url);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  let session: string | undefined;
  const send = (body: unknown, id?: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const payload = JSON.stringify(body);
      const headers: http.OutgoingHttpHeaders = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "content-length": Buffer.byteLength(payload),
      };
      if (session !== undefined) {
        headers["mcp-session-id"] = session;
        headers["mcp-protocol-version"] = PROTOCOL;
      }
      const request = http.request({ host: hostname, port, path: pathname, method: "POST", headers, agent }, (response) => {
        session ??= response.headers["mcp-session-id"] as string | undefined;
        const type = response.headers["content-type"] ?? "";
        const status = response.statusCode ?? 0;
        let text = "";
        response.setEncoding("utf8");
        response.on("data", type.includes("event-stream") ? sseParser((_, data) => rpcOf.settle(data)) : (chunk: string) => (text += chunk));
        response.on("end", () => {
          if (status >= 400) return reject(new Error(`HTTP ${status} ${text.slice(0, 200)}`));
          try {
            if (text && type.includes("json")) rpcOf.settle(text);
            if (id !== undefined) rpcOf.fail(id, new Error("the response ended without an answer")); // nothing happens when it was answered
            resolve();
          } catch (error) {
            reject(error as Error);
          }
        });
        response.on("error", reject);
      });
      request.setTimeout(TIMEOUT_MS, () => request.destroy(new Error("no answer in 30 s")));
      request.on("error", reject);
      request.end(payload);
    });
  const rpcOf = rpc(send, () => agent.destroy());
  return rpcOf.client;
}

/** One session of the older HTTP+SSE transport: answers arrive on the stream, requests are posted to the endpoint it names. */
function sseClient(url: string): LoadClient {
  const base = new URL(url);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  let stream: http.ClientRequest | undefined;
  let endpoint: Promise<URL> | undefined;
  const connect = (): Promise<URL> =>
    new Promise((resolve, reject) => {
      const options = { host: base.hostname, port: base.port, path: base.pathname, headers: { accept: "text/event-stream" }, agent };
      stream = http.get(options, (response) => {
        if (response.statusCode !== 200) {
          response.resume();
          return reject(new Error(`HTTP ${response.statusCode}`));
        }
        response.setEncoding("utf8");
        response.on("data", sseParser((event, data) => (event === "endpoint" ? resolve(new URL(data, base)) : rpcOf.settle(data))));
        response.on("close", () => rpcOf.failAll(new Error("the event stream closed")));
        response.on("error", (error) => rpcOf.failAll(error));
      });
      stream.on("error", reject);
    });
  const send = async (body: unknown): Promise<void> => {
    endpoint ??= connect();
    const { hostname, port, pathname, search } = await endpoint;
    const payload = JSON.stringify(body);
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(payload) };
    await new Promise<void>((resolve, reject) => {
      const request = http.request({ host: hostname, port, path: pathname + search, method: "POST", headers, agent }, (response) => {
        let text = "";
        response.on("data", (chunk) => (text += chunk));
        response.on("end", () => {
          const status = response.statusCode ?? 0;
          if (status >= 400) reject(new Error(`HTTP ${status} ${text.slice(0, 200)}`));
          else resolve();
        });
        response.on("error", reject);
      });
      request.setTimeout(TIMEOUT_MS, () => request.destroy(new Error("no answer in 30 s")));
      request.on("error", reject);
      request.end(payload);
    });
  };
  const rpcOf = rpc(send, () => {
    stream?.destroy();
    agent.destroy();
  });
  return rpcOf.client;
}

/** A client for the target; nothing is connected before `initialize`. */
export function makeClient(target: Target): LoadClient {
  return target.type === "http" ? httpClient(target.url) : sseClient(target.url);
}
