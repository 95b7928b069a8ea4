/** Many MCP servers in one process, each at a path of its own, for the bench of large catalogues: started with their number and the tools of each. */
export {};

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly text?: string } };
}

const [servers = "50", toolsEach = "40"] = process.argv.slice(2);

const toolsOf = (server: number) =>
  Array.from({ length: Number(toolsEach) }, (_, n) => ({
    name: n === 0 ? "echo" : `operation_${n}`,
    description: `Operation ${n} of the service ${server}: creates, reads or changes a record of kind ${n % 7} and tells its new state.`,
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string", description: "What to work on" },
        limit: { type: "integer", description: "How many at most", minimum: 1, maximum: 100 },
        kind: { type: "string", enum: ["small", "large", "any"] },
      },
      required: n === 0 ? ["text"] : [],
    },
  }));

function answer({ id, method, params }: Message, server: number): object | undefined {
  const result = (value: object) => ({ jsonrpc: "2.0", id, result: value });
  switch (method) {
    case "initialize":
      return result({
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: `service-${server}`, version: "1" },
      });
    case "tools/list":
      return result({ tools: toolsOf(server) });
    case "tools/call":
      return result({ content: [{ type: "text", text: params?.arguments?.text ?? params?.name ?? "" }] });
    case "ping":
      return result({});
    default:
      return id === undefined ? undefined : { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } };
  }
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/hang") return new Promise<Response>(() => undefined);
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const told = answer((await request.json()) as Message, Number(pathname.slice(1)));
    return told ? Response.json(told) : new Response(null, { status: 202 });
  },
});
console.log(JSON.stringify({ port: server.port, servers: Number(servers) }));
