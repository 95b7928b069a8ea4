/**
 * A downstream MCP server on raw JSON-RPC that keeps its own record: `act {key, ms, bytes?}` appends the key to a file, then answers after so
 * many milliseconds; `look` only answers. ACT_FILE: one line an execution. ACT_PIDS: one line a start. ACT_STAY=1: lives on when its input ends.
 */
import { appendFileSync } from "node:fs";

type Json = Readonly<Record<string, unknown>>;

const { ACT_FILE = "", ACT_PIDS = "", ACT_STAY } = process.env;
appendFileSync(ACT_PIDS, `${process.pid}\n`);
process.stdout.on("error", () => undefined); // the gateway is gone: what was done stands in the file

const tools = [
  { name: "act", description: "Does something that must not be done twice.", inputSchema: { type: "object" } },
  { name: "look", description: "Does nothing.", inputSchema: { type: "object" } },
];
const send = (message: Json) => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

function call(id: unknown, tool: unknown, args: Json): void {
  const key = String(args["key"]);
  if (tool === "act") appendFileSync(ACT_FILE, `${key}\n`); // one write with O_APPEND
  const padding = "x".repeat(Number(args["bytes"] ?? 0));
  const content = [...(padding === "" ? [] : [{ type: "text", text: padding }]), { type: "text", text: key }];
  setTimeout(() => send({ id, result: { content } }), Number(args["ms"] ?? 0));
}

function receive({ id, method, params = {} }: { id?: unknown; method?: string; params?: Json }): void {
  if (id === undefined) return;
  if (method === "initialize")
    send({
      id,
      result: { protocolVersion: params["protocolVersion"], capabilities: { tools: {} }, serverInfo: { name: "act", version: "1" } },
    });
  else if (method === "tools/list") send({ id, result: { tools } });
  else if (method === "tools/call") call(id, params["name"], (params["arguments"] ?? {}) as Json);
  else if (method === "ping") send({ id, result: {} });
  else send({ id, error: { code: -32601, message: "Method not found" } });
}

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) receive(JSON.parse(line));
});
if (ACT_STAY === "1") setInterval(() => undefined, 60_000);
