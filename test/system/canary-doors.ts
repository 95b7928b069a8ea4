/** The ways into a daemon as a test uses them: MCP of both eras over HTTP, and `toolcrib stdio`. */
import { type Answer, call, type Place, PROGRAM, send } from "./daemon-fixture.ts";

type Params = Readonly<Record<string, unknown>>;
export interface McpDoor {
  request(method: string, params?: Params): Promise<string>;
}

const BOTH = { accept: "application/json, text/event-stream", "content-type": "application/json" };

/** A legacy session; `clientInfo` and everything else of the first message is the caller's. */
export async function legacyDoor(
  url: string,
  initialize: Params,
): Promise<McpDoor & { readonly opening: string; raw(body: string): Promise<string> }> {
  const version = "2025-11-25";
  const first = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: version, capabilities: {}, ...initialize } };
  const response = await fetch(`${url}/mcp`, { method: "POST", headers: BOTH, body: JSON.stringify(first) });
  const opening = await response.text();
  const session = response.headers.get("mcp-session-id");
  if (session === null) throw new Error(`no session: ${opening}`);
  const headers = { ...BOTH, "mcp-session-id": session, "mcp-protocol-version": version };
  await send(url, "/mcp", { jsonrpc: "2.0", method: "notifications/initialized" }, headers);
  let id = 0;
  return {
    opening,
    request: async (method, params = {}) => (await send(url, "/mcp", { jsonrpc: "2.0", id: ++id, method, params }, headers)).text,
    raw: async (body) => (await send(url, "/mcp", body, headers)).text,
  };
}

export function modernDoor(url: string, meta: Params): McpDoor {
  const version = "2026-07-28";
  let id = 0;
  return {
    async request(method, params = {}) {
      const { name, _meta = {} } = params as { name?: string; _meta?: Params };
      const envelope = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": { name: "canary-test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
        ...meta,
        ..._meta,
      };
      const headers = { ...BOTH, "mcp-protocol-version": version, "mcp-method": method, ...(name !== undefined && { "mcp-name": name }) };
      const answer: Answer = await send(url, "/mcp", { jsonrpc: "2.0", id: ++id, method, params: { ...params, _meta: envelope } }, headers);
      return answer.text;
    },
  };
}

/** The sessions that send what nobody should, and the check that each of them is served afterwards. */
export async function openSessions(url: string) {
  const legacy = await legacyDoor(url, { clientInfo: { name: "odd", version: "1" } });
  const modern = modernDoor(url, {});
  const echo = { name: "fix__echo", arguments: { text: "still here" } };
  return {
    legacy,
    async serves(): Promise<void> {
      const rest = await call(url, echo.name, echo.arguments);
      const answers = [rest.text, await legacy.request("tools/call", echo), await modern.request("tools/call", echo)];
      for (const answer of answers) if (!answer.includes('"text":"still here"')) throw new Error(`not served any more: ${answer}`);
    },
  };
}

/** `toolcrib stdio` on the data folder of a running daemon; progress and other notifications stand before the answer. */
export function stdioDoor({ root, data, config }: Place, initialize: Params) {
  const child = Bun.spawn([...PROGRAM, "stdio", "--config", config, "--data", data], { cwd: root, stdio: ["pipe", "pipe", "pipe"] });
  const lines = readLines(child.stdout);
  let id = 0;
  const write = (message: Params) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    child.stdin.flush();
  };
  const request: McpDoor["request"] = async (method, params = {}) => {
    write({ id: ++id, method, params });
    const read: string[] = [];
    for (;;) {
      const { value: line, done } = await lines.next();
      if (done) throw new Error(`stdio ended after ${read.join("\n")}`);
      read.push(line);
      if ((JSON.parse(line) as { id?: unknown }).id === id) return read.join("\n");
    }
  };
  return {
    request,
    async open() {
      const opening = await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, ...initialize });
      write({ method: "notifications/initialized" });
      return opening;
    },
    /** Ends its input; what it said on stderr. */
    async close() {
      child.stdin.end();
      const [said] = await Promise.all([new Response(child.stderr).text(), child.exited]);
      return said;
    },
  };
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
