// The one downstream program behind every system in the bench: a single tool `echo`, on the official SDK 1.x under node.
//   node echo-server.mjs --stdio
//   node echo-server.mjs --http PORT     Streamable HTTP with sessions on 127.0.0.1:PORT/mcp
import { randomUUID } from "node:crypto";
import http from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const tool = {
  name: "echo",
  description: "Return the text unchanged",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};

function makeServer() {
  const server = new Server({ name: "echo-downstream", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [tool] }));
  server.setRequestHandler(CallToolRequestSchema, async (request) => {
    if (request.params.name !== "echo") throw new Error(`unknown tool ${request.params.name}`);
    return { content: [{ type: "text", text: request.params.arguments?.text }] };
  });
  return server;
}

const sessions = new Map();

async function serveHttp(request, response) {
  const known = request.headers["mcp-session-id"];
  let transport = known && sessions.get(known);
  if (!transport) {
    if (known) return response.writeHead(404).end();
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: true,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await makeServer().connect(transport);
  }
  await transport.handleRequest(request, response);
}

const [mode, port] = process.argv.slice(2);
if (mode === "--http") http.createServer(serveHttp).listen(Number(port), "127.0.0.1");
else await makeServer().connect(new StdioServerTransport());
