/** The product's real MCP edge over a registry with the names that the conformance suite expects, on a port of its own. */
import { createGuard } from "../../src/doors/guard.ts";
import type { Backend, ChangedSessions, Session, ToolResult } from "../../src/mcp/upstream/backend.ts";
import { createEdge } from "../../src/mcp/upstream/edge.ts";
import { askingDefinitions, askingTools } from "./asking-tools.ts";
import { define, plainTools, text } from "./plain-tools.ts";
import { addSurface } from "./surface.ts";
import { createTaskTools, type TaskTools, taskDefinitions } from "./task-tools.ts";

/** Changes the tool list of everybody, so that a subscriber hears of it. */
const CHANGE = "test_trigger_tool_change";

function createRegistry(background: TaskTools): Backend {
  const results = new Map<string, ToolResult>(plainTools.map((tool) => [tool.definition.name, tool.result]));
  const tools = [...plainTools.map((tool) => tool.definition), ...askingDefinitions, ...taskDefinitions, define(CHANGE)];
  const sessions = new Map<string, Session>();
  const listeners = new Set<(sessions: ChangedSessions) => void>();
  return {
    info: { name: "conformance-registry", version: "1" },
    capabilities: {
      tools: { listChanged: true },
      prompts: {},
      resources: { subscribe: true },
      completions: {},
      logging: {},
    },
    instructions: () => "Tools for the conformance suite.",
    async openSession({ principal, name = "default" }) {
      const session = sessions.get(name) ?? { id: `s_${sessions.size}`, name, principal };
      sessions.set(name, session);
      return session;
    },
    async resumeSession() {
      return undefined;
    },
    async closeConnection() {},
    toolOf: (_, name) => tools.find((tool) => tool.name === name),
    listTools: () => ({ tools, ttlMs: 0 }),
    isPlain: (_session, { name }) => !(name in askingTools),
    tasks: background.tasks,
    async callTool(_session, call) {
      if (call.name === CHANGE) {
        for (const listener of listeners) listener(new Set([...sessions.values()].map((session) => session.id)));
        return text("changed");
      }
      const asking = askingTools[call.name];
      if (asking !== undefined && call.sdk !== undefined) return asking(call, call.sdk);
      return background.call(call) ?? results.get(call.name) ?? { ...text(`Unknown tool ${call.name}`), isError: true };
    },
    onToolsChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    extend: (server) => addSurface(server),
  };
}

export interface ConformanceEdge {
  readonly url: string;
  /** Calls that took the hand-written path. */
  handCalls(): number;
  tasksStarted(): number;
  close(): Promise<void>;
}

/** Serves the registry until `close`. */
export function serveConformanceEdge(): ConformanceEdge {
  const background = createTaskTools();
  const edge = createEdge(createRegistry(background));
  const principal = { agent: "conformance", profile: "default" };
  const guard = createGuard({ agents: [], operators: [], allowedHosts: [], allowedOrigins: [], isLoopback: true });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request, bun) => guard.refuseForeign(request) ?? edge.fetch(request, principal, bun),
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    handCalls: () => edge.handCalls(),
    tasksStarted: () => background.started(),
    async close() {
      await edge.close();
      await server.stop(true);
    },
  };
}
