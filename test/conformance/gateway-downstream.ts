/** A downstream server with everything the conformance suite expects, on the v2 SDK: the gateway stands between it and the runner. */
import {
  createMcpHandler,
  type InputRequiredResult,
  isInputRequiredResult,
  type Prompt,
  ProtocolError,
  Server,
  type ServerContext,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { ToolDefinition } from "../../src/mcp/downstream/definitions.ts";
import type { Session, ToolCall } from "../../src/mcp/upstream/backend.ts";
import { modernAbilities, TASKS_EXTENSION } from "../../src/mcp/upstream/client-abilities.ts";
import { keepHandlesFlat } from "../../src/mcp/upstream/flat-handle.ts";
import { isQuestion } from "../../src/mcp/upstream/interim.ts";
import { withContent } from "../../src/mcp/upstream/results.ts";
import { offerTasks } from "../../src/mcp/upstream/tasks.ts";
import { askingDefinitions, askingTools } from "./asking-tools.ts";
import { define, plainTools, text } from "./plain-tools.ts";
import { addSurface } from "./surface.ts";
import { createTaskTools, type TaskTools, taskDefinitions } from "./task-tools.ts";

export interface ConformanceDownstream {
  readonly url: string;
  stop(): Promise<void>;
}

/** Add a tool, or a prompt, each time another one: for a gateway a list that is as before has not changed. */
export const CHANGE = "test_trigger_tool_change";
const CHANGE_PROMPTS = "test_trigger_prompt_change";

/** Everything that a definition may hold beside what it needs: a gateway has no business with any of it. */
export const DESCRIBED: ToolDefinition = {
  name: "test_described_tool",
  title: "A described tool",
  description: "Says a number",
  inputSchema: { type: "object", properties: { n: { type: "integer", "x-other": [1, 2] } }, required: ["n"], additionalProperties: false },
  outputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  annotations: { title: "Described", readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  icons: [{ src: "data:image/png;base64,AA==", mimeType: "image/png", sizes: ["1x1"] }],
  _meta: { ui: { resourceUri: "ui://described" }, "example.org/deep": { list: [null, 1.5, "é"] } },
};

interface Registry {
  readonly tools: Tool[];
  readonly prompts: Prompt[];
  /** Modern servers only. */
  readonly background?: TaskTools;
  /** Tells whoever is connected. */
  changed: (list: "tools" | "prompts") => void | Promise<void>;
}

/** It knows its callers not. */
const NOBODY: Session = { id: "", name: "", principal: { agent: "", profile: "" } };

/** One server: for a connection of the legacy era, for a request of the modern one. */
function createServer(registry: Registry): Server {
  const capabilities = {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { subscribe: true },
    completions: {},
    logging: {},
    ...(registry.background && { extensions: { [TASKS_EXTENSION]: {} } }),
  };
  const server = new Server({ name: "conformance-downstream", version: "1" }, { capabilities });
  const results = new Map(plainTools.map(({ definition, result }) => [definition.name, result]));
  server.setRequestHandler("tools/list", () => ({ tools: [...registry.tools] }));
  server.setRequestHandler("tools/call", async ({ params }, sdk) => {
    if (params.name === DESCRIBED.name) {
      const { n } = { n: 0, ...params.arguments };
      return withContent({ ...text(`It is ${n}`), structuredContent: { n }, _meta: { "example.org/result": { deep: [n] } } });
    }
    if (params.name === CHANGE) {
      registry.tools.push({ ...define(`test_added_tool_${registry.tools.length}`) } as Tool);
      await registry.changed("tools");
      return withContent(text("changed"));
    }
    if (params.name === CHANGE_PROMPTS) {
      registry.prompts.push({ name: `test_added_prompt_${registry.prompts.length}` });
      await registry.changed("prompts");
      return withContent(text("changed"));
    }
    const call = callOf(params.name, params.arguments ?? {}, sdk);
    const inBackground = await registry.background?.call(call);
    if (inBackground && isQuestion(inBackground)) return inBackground as unknown as InputRequiredResult;
    if (inBackground) return withContent(inBackground); // of a handle it is taken away again
    const result = (await askingTools[params.name]?.(call, sdk)) ?? results.get(params.name);
    if (result === undefined) throw new ProtocolError(-32602, `Unknown tool ${params.name}`);
    return isInputRequiredResult(result) ? result : withContent(result);
  });
  if (registry.background) {
    keepHandlesFlat(server);
    offerTasks(server, registry.background.tasks, { session: NOBODY, onError: () => undefined });
  }
  addSurface(server, registry.prompts);
  return server;
}

function callOf(name: string, args: Record<string, unknown>, { mcpReq }: ServerContext): ToolCall {
  const token = mcpReq._meta?.progressToken;
  const state = mcpReq.requestState();
  return {
    name,
    arguments: args,
    client: modernAbilities(mcpReq.envelope),
    ...(token !== undefined && {
      onProgress: (progress) => void mcpReq.notify({ method: "notifications/progress", params: { ...progress, progressToken: token } }),
    }),
    ...(mcpReq.inputResponses !== undefined && { inputResponses: mcpReq.inputResponses }),
    ...(typeof state === "string" && { requestState: state }),
  };
}

/** Serves one era only, so that both ways through the gateway are measured. */
export function serveDownstream(era: "legacy" | "modern"): ConformanceDownstream {
  const changes = [define(CHANGE), define(CHANGE_PROMPTS)];
  const background = era === "modern" ? createTaskTools() : undefined;
  const inBackground = background ? taskDefinitions : [];
  const tools = [...plainTools.map(({ definition }) => definition), ...askingDefinitions, ...inBackground, DESCRIBED, ...changes] as Tool[];
  const registry: Registry = { tools, prompts: [], changed: () => undefined, ...(background && { background }) };
  const answer = era === "modern" ? modern(registry) : legacy(registry);
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch: answer });
  return { url: `http://127.0.0.1:${server.port}/mcp`, stop: () => server.stop(true) };
}

function modern(registry: Registry): (request: Request) => Promise<Response> {
  const handler = createMcpHandler(() => createServer(registry), { legacy: "reject" });
  registry.changed = (list) => (list === "tools" ? handler.notify.toolsChanged() : handler.notify.promptsChanged());
  return (request) => handler.fetch(request);
}

function legacy(registry: Registry): (request: Request) => Promise<Response> {
  const sessions = new Map<string, { readonly transport: WebStandardStreamableHTTPServerTransport; readonly server: Server }>();
  registry.changed = async (list) => {
    await Promise.all([...sessions.values()].map(({ server }) => server.notification({ method: `notifications/${list}/list_changed` })));
  };
  return async (request) => {
    const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
    if (known) return known.transport.handleRequest(request);
    const server = createServer(registry);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, { transport, server }),
    });
    await server.connect(transport);
    return transport.handleRequest(request);
  };
}
