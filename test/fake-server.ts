/** A downstream server that is a few functions: it answers when a test says so. */
import type { CallOutcome, CallRequest, Downstream, DownstreamEvents, ToolDefinition } from "../src/mcp/downstream/downstream.ts";

export const tool = (name: string, annotations?: Record<string, unknown>): ToolDefinition => ({
  name,
  description: `does ${name}`,
  inputSchema: { type: "object", properties: {} },
  ...(annotations && { annotations }),
});

/** A downstream server: each call is kept and answered when the test says so. */
export function fakeServer(tools: readonly ToolDefinition[] = [tool("act"), tool("look")], more: Partial<Downstream> = {}) {
  const calls: { request: CallRequest; answer: (outcome: CallOutcome) => void }[] = [];
  let events: DownstreamEvents | undefined;
  let reachable = true;
  let why = new Error("connection refused");
  let offered = tools;
  return {
    calls,
    set reachable(is: boolean) {
      reachable = is;
    },
    /** From now on it cannot be reached for this reason. */
    unreachable(reason: Error) {
      reachable = false;
      why = reason;
    },
    set tools(now: readonly ToolDefinition[]) {
      offered = now;
    },
    changed: () => events?.onToolsChanged(),
    crash() {
      for (const { answer } of calls) answer({ kind: "lost", reason: "the process ended" });
      events?.onClosed("the process ended");
    },
    async connect(listener: DownstreamEvents): Promise<Downstream> {
      if (!reachable) throw why;
      events = listener;
      return {
        introduction: {
          era: "legacy",
          protocolVersion: "2025-11-25",
          transport: "stdio",
          serverInfo: { name: "fake", version: "1" },
          capabilities: {},
        },
        call: (request) => new Promise((answer) => calls.push({ request, answer })),
        listTools: async () => offered,
        request: async () => ({ kind: "rpc_error", code: -32601, message: "Method not found" }),
        listPrompts: async () => [],
        listResources: async () => ({ resources: [], templates: [] }),
        subscribe: async () => ({ kind: "result", result: {} }),
        unsubscribe: async () => ({ kind: "result", result: {} }),
        stderr: () => [],
        close: async () => undefined,
        ...more,
      };
    },
  };
}
export type FakeServer = ReturnType<typeof fakeServer>;
