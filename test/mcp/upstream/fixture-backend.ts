/** A backend in memory, with what a log would keep: it can be put behind a second edge to play a restart. */
import type { ToolDefinition } from "../../../src/mcp/downstream/definitions.ts";
import type {
  Backend,
  ChangedSessions,
  Principal,
  Session,
  SessionRequest,
  ToolCall,
  ToolResult,
} from "../../../src/mcp/upstream/backend.ts";

export interface FixtureBackend extends Backend {
  /** Every call that reached a tool, with the session it came from. */
  readonly calls: { readonly session: string; readonly call: ToolCall }[];
  /** Every `openSession` that made a new session. */
  readonly opened: SessionRequest[];
  readonly closed: string[];
  /** Every principal that had a connection resumed. */
  readonly resumed: Principal[];
  /** Reasons with which the signals of calls were aborted. */
  readonly aborted: unknown[];
  /** Waits until a call of this tool is running. */
  started(tool: string): Promise<void>;
  /** Lets the calls that wait in `hold` answer. */
  release(): void;
  /** Adds a tool to one session and tells. */
  addTool(session: string, tool: ToolDefinition): void;
}

const object = { type: "object" } as const;
export const NAME_FORM = { message: "Your name?", requestedSchema: { ...object, properties: { name: { type: "string" } } } } as const;
export const WORKING = {
  taskId: "t_1",
  status: "working",
  createdAt: "2026-01-01T00:00:00.000Z",
  lastUpdatedAt: "2026-01-01T00:00:00.000Z",
  ttlMs: null,
  pollIntervalMs: 100,
} as const;
const TOOLS: readonly ToolDefinition[] = [
  { name: "echo", description: "Says what it hears", inputSchema: { ...object, properties: { text: { type: "string" } } } },
  { name: "hold", description: "Waits until it may answer", inputSchema: object },
  { name: "steps", description: "Reports progress", inputSchema: object },
  { name: "list", inputSchema: object, outputSchema: { type: "array", items: { type: "number" } } },
  { name: "region", inputSchema: { ...object, properties: { region: { type: "string", "x-mcp-header": "Region" } } } },
  { name: "ask", description: "Asks the client for a name", inputSchema: object },
  { name: "throws", inputSchema: object },
  { name: "abilities", description: "Says what the client can do", inputSchema: object },
  { name: "form", description: "Asks in the middle of the call", inputSchema: object },
  { name: "question", description: "Ends in a question", inputSchema: object, outputSchema: { ...object, required: ["name"] } },
  { name: "background", description: "Becomes a task", inputSchema: object, outputSchema: { ...object, required: ["name"] } },
];

export function createFixtureBackend(options: { readonly plain?: boolean } = {}): FixtureBackend {
  const sessions = new Map<string, Session>();
  const connections = new Map<string, { session: Session; initialize: Readonly<Record<string, unknown>> }>();
  const listeners = new Set<(sessions: ChangedSessions) => void>();
  const extra = new Map<string, ToolDefinition[]>();
  const running: string[] = [];
  const waiters: (() => void)[] = [];
  let gate = Promise.withResolvers<void>();

  const backend: FixtureBackend = {
    info: { name: "fixture", version: "1" },
    capabilities: { tools: { listChanged: true } },
    calls: [],
    opened: [],
    closed: [],
    resumed: [],
    aborted: [],
    instructions: (session) => `You are in session ${session?.name ?? "none"}.`,
    async openSession(request) {
      const name = request.name ?? (request.era === "legacy" ? request.connection?.id : undefined) ?? request.client.name;
      const key = `${request.principal.agent} ${name}`;
      const session = sessions.get(key) ?? { id: `s_${sessions.size + 1}`, name, principal: request.principal };
      if (!sessions.has(key)) backend.opened.push(request);
      sessions.set(key, session);
      if (request.connection !== undefined) connections.set(request.connection.id, { session, initialize: request.connection.initialize });
      return session;
    },
    async resumeSession(connection: string, principal: Principal) {
      const found = connections.get(connection);
      if (found?.session.principal.agent !== principal.agent) return undefined;
      backend.resumed.push(principal);
      return found;
    },
    async closeConnection(_session, connection) {
      connections.delete(connection);
      backend.closed.push(connection);
    },
    toolOf: (session, name) => [...TOOLS, ...(extra.get(session.id) ?? [])].find((tool) => tool.name === name),
    listTools: (session) => ({ tools: [...TOOLS, ...(extra.get(session.id) ?? [])], ttlMs: 1_000 }),
    isPlain: (_session, { name }, { era }) => options.plain !== false && (name !== "form" || era === "modern"),
    async callTool(session, call) {
      backend.calls.push({ session: session.id, call });
      call.signal?.addEventListener("abort", () => backend.aborted.push(call.signal?.reason));
      running.push(call.name);
      for (const wake of waiters.splice(0)) wake();
      return run(session, call);
    },
    onToolsChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async started(tool) {
      while (!running.includes(tool)) await new Promise<void>((resolve) => waiters.push(resolve));
    },
    release() {
      gate.resolve();
      gate = Promise.withResolvers();
    },
    addTool(session, tool) {
      extra.set(session, [...(extra.get(session) ?? []), tool]);
      for (const listener of listeners) listener(new Set([session]));
    },
  };

  async function run(session: Session, call: ToolCall): Promise<ToolResult> {
    switch (call.name) {
      case "hold": {
        const aborted = new Promise<void>((resolve) => call.signal?.addEventListener("abort", () => resolve()));
        await Promise.race([gate.promise, aborted]);
        return text("held");
      }
      case "steps":
        for (const progress of [1, 2, 3]) call.onProgress?.({ progress, total: 3, message: `step ${progress}` });
        return text("done");
      case "list":
        return { structuredContent: [1, 2, 3] };
      case "ask": {
        const properties = { name: { type: "string" as const } };
        const answer = await call.sdk?.mcpReq.elicitInput({ message: "Your name?", requestedSchema: { type: "object", properties } });
        return text(JSON.stringify(answer?.content));
      }
      case "abilities":
        return text(JSON.stringify(call.client));
      case "form":
        if (call.elicit === undefined) return text("cannot ask");
        return text(JSON.stringify((await call.elicit({ ...NAME_FORM, timeoutMs: 5_000, signal: new AbortController().signal })) ?? null));
      case "question": {
        const { inputResponses, requestState } = call;
        if (inputResponses !== undefined) return { ...text("answered"), structuredContent: { name: { inputResponses, requestState } } };
        const name = { method: "elicitation/create", params: { mode: "form", ...NAME_FORM } };
        return { resultType: "input_required", inputRequests: { name }, requestState: "first round" };
      }
      case "background":
        return { resultType: "task", ...WORKING };
      case "throws":
        throw new Error("a secret of the inside");
      default:
        return { ...text(JSON.stringify({ name: call.name, arguments: call.arguments, session: session.name })) };
    }
  }
  return backend;
}

function text(value: string): ToolResult {
  return { content: [{ type: "text", text: value }] };
}
