/** Connections over servers that are functions, with a clock that stands still; what they tell is written down. */

import { type Connections, createConnections } from "../../src/effects/connections.ts";
import type { ConnectionSettings } from "../../src/effects/pace.ts";
import { createSubscriptions, type Subscriptions } from "../../src/effects/subscriptions.ts";
import type { ConnectionPorts, Wanted } from "../../src/effects/wanted.ts";
import type { CallOutcome, Downstream, DownstreamEvents, Introduction } from "../../src/mcp/downstream/downstream.ts";
import { type FakeClock, fakeClock } from "../fake-clock.ts";

export const DONE: CallOutcome = { kind: "result", result: { content: [] } };
export const REFUSED: CallOutcome = { kind: "not_sent", reason: "connection refused" };

/** One connection that was made. */
export interface Made {
  readonly downstream: Downstream;
  readonly events: DownstreamEvents;
  closed: boolean;
  /** Every request but calls. */
  readonly requests: string[];
  lists: number;
}

export interface World {
  readonly clock: FakeClock;
  readonly connections: Connections;
  readonly made: Made[];
  /** When each attempt began, in seconds since the start. */
  readonly attempts: number[];
  /** What actors were told: `unreachable`, `surface` … */
  readonly told: { readonly to: string; readonly type: string; readonly [field: string]: unknown }[];
  readonly types: () => string[];
  readonly subscriptions: Subscriptions;
  readonly settings: { -readonly [K in keyof ConnectionSettings]: ConnectionSettings[K] };
  /** What a new connection can do; changed by tests. */
  server: {
    reachable: boolean;
    /** What an attempt rejects with that does not reach it. */
    why: Error;
    introduction: Partial<Introduction>;
    pid: number | undefined;
    listTools: Downstream["listTools"];
    listPrompts: Downstream["listPrompts"];
    listResources: Downstream["listResources"];
    call: Downstream["call"];
    request: Downstream["request"];
  };
  apply(identity?: string, name?: string): void;
  settle(): Promise<void>;
}

const INTRODUCTION: Introduction = {
  era: "legacy",
  protocolVersion: "2025-11-25",
  transport: "stdio",
  serverInfo: { name: "fake", version: "1" },
  capabilities: {},
};

export function world(settings: Partial<ConnectionSettings> = {}): World {
  const clock = fakeClock();
  const begin = clock.now();
  const told: World["told"] = [];
  const made: Made[] = [];
  const attempts: number[] = [];
  const server: World["server"] = {
    reachable: true,
    why: new Error("refused"),
    introduction: {},
    pid: 1,
    listTools: async () => [{ name: "act", inputSchema: {} }],
    listPrompts: async () => [],
    listResources: async () => ({ resources: [], templates: [] }),
    call: async () => DONE,
    request: async () => DONE,
  };
  const connect: ConnectionPorts["connect"] = async (_, events) => {
    attempts.push((clock.now() - begin) / 1000);
    if (!server.reachable) throw server.why;
    const one: Made = { events, closed: false, requests: [], lists: 0, downstream: undefined as never };
    const downstream: Downstream = {
      introduction: { ...INTRODUCTION, ...server.introduction },
      ...(server.pid !== undefined && { pid: server.pid }),
      call: (request) => server.call(request),
      listTools() {
        one.lists++;
        return server.listTools();
      },
      listPrompts: () => server.listPrompts(),
      listResources: () => server.listResources(),
      request(request) {
        one.requests.push(request.method);
        return server.request(request);
      },
      async subscribe(uri) {
        one.requests.push(`subscribe ${uri}`);
        return uri.startsWith("no:") ? { kind: "rpc_error", code: -32601, message: "no" } : DONE;
      },
      async unsubscribe(uri) {
        one.requests.push(`unsubscribe ${uri}`);
        return DONE;
      },
      stderr: () => [],
      async close() {
        one.closed = true;
      },
    };
    made.push(Object.assign(one, { downstream }));
    return downstream;
  };
  const current = { connectRetryCount: 2, connectRetryBaseDelayMs: 1000, sweepSeconds: 60, surfaceRefreshSeconds: 300, ...settings };
  const hash = (value: unknown) => Bun.hash(JSON.stringify(value)).toString(16);
  const subscriptions = createSubscriptions({ clock, redact: (text) => text, connectionOf: (name) => connections.of(name) });
  const connections: Connections = createConnections({
    runtime: {
      enter: async (to, command) => {
        if (typeof command !== "function") told.push({ ...command, to });
      },
    },
    clock,
    placeOf: () => undefined,
    random: () => 1,
    connect,
    declare: (_, tool) => ({ tool: tool.name, hash: hash(tool), suffix: "", capability: "mutating" }),
    declarePrompt: (_, { name }) => ({ tool: name, kind: "prompt", hash: hash(name), suffix: "", capability: "read" }),
    declareDocument: hash,
    redact: (text) => text,
    settings: () => current,
    subscribed: subscriptions.of,
    onQuestion: async () => ({ action: "decline" }),
    onResourceUpdated: subscriptions.updated,
  });
  const wanted = (name: string, identity: string): Wanted => ({
    name,
    id: "000000000001",
    identity,
    address: identity,
    target: { kind: "stdio", command: identity, args: [], env: {} },
    elicitation: true,
    tasks: false,
  });
  return {
    clock,
    connections,
    made,
    attempts,
    told,
    types: () => told.map(({ type }) => type),
    subscriptions,
    settings: current,
    server,
    apply: (identity = "one", name = "mail") => connections.apply([wanted(name, identity)]),
    settle: () => clock.advance(0),
  };
}
