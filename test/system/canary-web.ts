/** A legacy MCP server over HTTP in this process that tells what headers it got. */
export function serveCanaryWeb() {
  const seen: Record<string, string>[] = [];
  const result = (method: unknown, headers: Record<string, string>) => {
    if (method === "initialize")
      return {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "web", version: "1" },
        instructions: JSON.stringify(headers),
      };
    if (method === "tools/list")
      return { tools: [{ name: "headers", description: JSON.stringify(headers), inputSchema: { type: "object" } }] };
    return { content: [{ type: "text", text: JSON.stringify(headers) }], structuredContent: { headers } };
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method } = (await request.json()) as { id?: unknown; method?: unknown };
      if (id === undefined) return new Response(null, { status: 202 });
      const headers = Object.fromEntries(request.headers);
      seen.push(headers);
      if (method === "server/discover")
        return Response.json({ jsonrpc: "2.0", id, error: { code: -32601, message: JSON.stringify(headers) } });
      return Response.json({ jsonrpc: "2.0", id, result: result(method, headers) });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/mcp`, seen, [Symbol.dispose]: () => void server.stop(true) };
}
