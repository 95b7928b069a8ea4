/**
 * The floor of the bench: the product's MCP edge joined to the product's downstream client, with no kernel and no log between.
 *   bun bench/null-gateway.ts PORT COMMAND [ARGUMENT…]
 */
import { randomUUID } from "node:crypto";
import { connect } from "../src/mcp/downstream/connect.ts";
import { type CallOutcome, isInterim } from "../src/mcp/downstream/downstream.ts";
import type { Backend, ToolResult } from "../src/mcp/upstream/backend.ts";
import { createEdge } from "../src/mcp/upstream/edge.ts";

const SERVER = "echo";
const PREFIX = `${SERVER}__`;
const info = { name: "null-gateway", version: "1.0.0" };

const [port, command, ...args] = process.argv.slice(2);
if (port === undefined || command === undefined) throw new Error("usage: bun bench/null-gateway.ts PORT COMMAND [ARGUMENT…]");

const downstream = await connect(
  { kind: "stdio", command, args, env: {} },
  {
    clientInfo: info,
    events: {
      onClosed(reason) {
        console.error(`the downstream server is gone: ${reason}`);
        process.exit(1);
      },
      onToolsChanged: () => undefined,
      onPromptsChanged: () => undefined,
      onResourcesChanged: () => undefined,
      onResourceUpdated: () => undefined,
    },
    connectTimeoutMs: 10_000,
    environment: process.env,
    marker: `null-gateway-${process.pid}`,
  },
);
const tools = (await downstream.listTools()).map((tool) => ({ ...tool, name: PREFIX + tool.name }));

function failed(text: string): ToolResult {
  return { isError: true, content: [{ type: "text", text }] };
}

function resultOf(outcome: CallOutcome): ToolResult {
  if (outcome.kind === "result") return outcome.result;
  return failed(outcome.kind === "rpc_error" ? outcome.message : outcome.reason);
}

const backend: Backend = {
  info,
  capabilities: { tools: {} },
  instructions: () => "",
  openSession: async ({ principal, name }) => ({ id: `s_${randomUUID()}`, name: name ?? "bench", principal }),
  resumeSession: async () => undefined,
  closeConnection: async () => undefined,
  toolOf: (_, name) => tools.find((tool) => tool.name === name),
  listTools: () => ({ tools, ttlMs: 60_000 }),
  async callTool(_session, call) {
    if (!call.name.startsWith(PREFIX)) return failed(`There is no tool ${call.name}.`);
    const { arguments: input, signal, onProgress } = call;
    const tool = call.name.slice(PREFIX.length);
    const reply = await downstream.call({ tool, arguments: input, ...(signal && { signal }), ...(onProgress && { onProgress }) });
    return isInterim(reply) ? failed("The server asks, and this gateway answers nothing.") : resultOf(reply);
  },
  isPlain: () => true,
  onToolsChanged: () => () => undefined,
};

const edge = createEdge(backend);
const principal = { agent: "bench", profile: "default" };
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  routes: { "/readyz": new Response("ready"), "/mcp": (request, server) => edge.fetch(request, principal, server) },
  fetch: () => new Response("Not found", { status: 404 }),
});

process.on("SIGTERM", async () => {
  await server.stop(true);
  await edge.close();
  await downstream.close();
  process.exit(0);
});
