/** The real kernel over a log in memory, a clock that stands still and servers that are functions. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REGISTRY } from "../actors/address.ts";
import { OPEN_POLICY } from "../actors/catalogue.ts";
import { eventDefinitions } from "../events/all.ts";
import type { Policy } from "../events/policy.ts";
import type { ServerPolicy } from "../events/registry.ts";
import { answerOf, toToolResult } from "../src/calls/answer.ts";
import type { Question } from "../src/calls/ask.ts";
import type { CallEnd } from "../src/calls/open-calls.ts";
import { openLog } from "../src/log/log.ts";
import { projections } from "../src/log/projections/all.ts";
import type { ToolDefinition } from "../src/mcp/downstream/definitions.ts";
import type { CallOutcome, CallRequest, Downstream, DownstreamEvents } from "../src/mcp/downstream/downstream.ts";
import { recover } from "../src/runtime/recover.ts";
import { openSealedStore } from "../src/secrets/sealed.ts";
import { createVault } from "../src/secrets/vault.ts";
import { createKernel } from "../src/system/kernel.ts";
import { createApplyRules } from "../src/system/new-rules.ts";
import { builtinTools } from "../src/tools/all.ts";
import { fakeClock } from "./fake-clock.ts";
import { CONNECTING, completed, type HarnessOptions, wantedOf } from "./harness-options.ts";

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

export const memoryLog = () =>
  openLog({
    path: ":memory:",
    projections,
    definitions: eventDefinitions,
    build: "test",
    version: "0",
    onFailure: (error) => {
      throw error;
    },
  });

export const text = (words: string): CallOutcome => ({ kind: "result", result: { content: [{ type: "text", text: words }] } });

export async function harness({
  settings = {},
  servers = {},
  policies = {},
  runHook,
  llm,
  secrets = [],
  log = memoryLog(),
  sealed = openSealedStore(":memory:", new Uint8Array(32).fill(3), Date.now),
  ...rules
}: HarnessOptions<FakeServer, ReturnType<typeof memoryLog>> = {}) {
  const clock = fakeClock();
  const vault = createVault({ key: new Uint8Array(32).fill(7) });
  vault.configure(secrets);
  const failures: unknown[] = [];
  const posts: { url: string; body: unknown }[] = [];
  const kernel = createKernel({
    log,
    clock,
    vault,
    digestKey: new Uint8Array(32).fill(9),
    sealed,
    stateKey: new Uint8Array(32).fill(5),
    random: () => 1,
    fetch: async (url, init) => {
      posts.push({ url: String(url), body: JSON.parse(String(init?.body)) });
      return new Response();
    },
    settings: () => ({ ...CONNECTING, ...settings }),
    attachments: () => join(tmpdir(), "toolcrib-test-attachments"),
    inlineTextLimit: () => 32_000,
    agentServers: {
      resolve: async () => ["93.184.215.14"],
      allowPrivate: () => false,
      operatorUrls: () => ({}),
      randomServerId: () => "f00df00df00d",
    },
    failpoint: () => undefined,
    ...(runHook && { runHook }),
    ...(llm && { llm }),
    connect: ({ name }, events) => (servers[name] ?? fakeServer()).connect(events),
    onTurnFailed: (_, error) => failures.push(error),
  });
  const { runtime, connections, definitions, views, ask } = kernel;
  const open = log.query<{ session: string; server: string }>("select distinct session, server from calls where status <> 'ended'");
  await recover(runtime, { sessions: open.map(({ session }) => session), servers: open.map(({ server }) => server) }, undefined);

  kernel.questions.resume();
  const names = Object.keys(servers);
  const configured = names.map((name, index) => ({ name, id: `00000000000${index}`, origin: "operator", transport: "stdio" }) as const);
  const applyRules = createApplyRules({ ...kernel, redact: vault.redactText });
  const policyOf = (name: string): ServerPolicy => ({ ...OPEN_POLICY, ...policies[name] });
  const configure = (
    more: Readonly<Record<string, Partial<ServerPolicy>>> = {},
    digest = "d1",
    stricter: Partial<Policy> = {},
    only: readonly string[] = names,
  ) =>
    applyRules({
      type: "configure",
      digest,
      naming: "prefixed",
      ...completed(rules, stricter),
      servers: [
        { name: "builtin", id: "builtin", origin: "builtin", transport: "builtin" },
        ...configured.filter(({ name }) => only.includes(name)),
      ],
      policies: Object.fromEntries(["builtin", ...only].map((name) => [name, { ...policyOf(name), ...more[name] }])),
    });
  await configure();
  const builtin = builtinTools.map(({ definition, capability }) => definitions.declareBuiltin(definition, capability));
  await runtime.enter(REGISTRY, { type: "surface", server: "builtin", id: "builtin", tools: builtin });
  const reconnect = () => connections.apply(wantedOf(configured, runtime.catalogue()));
  void reconnect();
  /** Lets turns, commits and effects come to rest. */
  const settle = async () => {
    for (let round = 0; round < 3; round++) await clock.advance(0);
  };
  await settle();
  const session = async (id: string, agent = "ada", client = "test", profile = "default") => {
    const opening = { type: "open", agent, name: id, client, era: "rest", profile };
    await runtime.enter(`session/${id}`, opening);
    const question = (name: string, args: Record<string, unknown>, more: Partial<Question>): Question => ({
      caller: { session: id, agent, profile, client },
      name,
      arguments: args,
      ...more,
    });
    return {
      ask: (name: string, args: Record<string, unknown> = {}, more: Partial<Question> = {}): Promise<CallEnd> =>
        ask(question(name, args, more)),
      /** As MCP tells it. */
      call: async (name: string, args: Record<string, unknown> = {}, more: Partial<Question> = {}) =>
        toToolResult(answerOf(await ask(question(name, args, more)), name, views)) as {
          content: { type: string; text: string }[];
          isError?: boolean;
          structuredContent?: Record<string, unknown> & { error?: Record<string, unknown> };
        },
    };
  };
  const types = (stream?: string) => log.page({ after: 0, limit: 10_000, ...(stream !== undefined && { stream }) }).map(({ type }) => type);
  return { ...kernel, log, clock, vault, session, settle, types, configure, reconnect, failures, posts };
}
