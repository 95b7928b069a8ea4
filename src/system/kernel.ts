/** The heart put together: log, runtime, calls, effects. Everything that is decided and recorded goes through here. */
import { BUILTIN } from "../../actors/address.ts";
import { serverOf, tellableHash } from "../../actors/catalogue.ts";
import { type Ask, createAsk } from "../calls/ask.ts";
import { createAssess } from "../calls/assess.ts";
import { HEARTBEAT_MS, withHeartbeats } from "../calls/heartbeat.ts";
import { callViews } from "../calls/log-views.ts";
import { createOpenCalls, type OpenCalls, type ToolResult } from "../calls/open-calls.ts";
import type { CallViews } from "../calls/views.ts";
import type { ConnectionPorts } from "../effects/connection.ts";
import { type Connections, createConnections } from "../effects/connections.ts";
import { createInvoke } from "../effects/invoke.ts";
import { createPerform } from "../effects/perform.ts";
import { createSubscriptions, type Subscriptions } from "../effects/subscriptions.ts";
import { createSaveFile } from "../files/attachments.ts";
import type { Log } from "../log/log.ts";
import { createPublished, type Published } from "../mcp/published.ts";
import { brokenBound } from "../observe/bounds.ts";
import { argumentDigest } from "../observe/digest.ts";
import type { Batch } from "../runtime/event-log.ts";
import type { Effect } from "../runtime/settle.ts";
import { type Clock, createTimers, type Timers } from "../runtime/timers.ts";
import { createRuntime, type Runtime } from "../runtime/turn.ts";
import type { Vault } from "../secrets/vault.ts";
import type { ServerFacts } from "../tools/define.ts";
import { builtinForms } from "./builtin.ts";
import { createContext } from "./context.ts";
import { createDefinitions, type Definitions } from "./definitions.ts";
import { createFacts } from "./facts.ts";
import { createInquire, type Inquire } from "./inquire.ts";
import { type AgentServerOptions, createRegistrations } from "./registrations.ts";
import { createResultDigest } from "./result-digest.ts";
import { createScan } from "./scan.ts";
import { createSearch } from "./search.ts";
import { createSend } from "./send.ts";
import { createSignal } from "./signal.ts";

export interface KernelOptions {
  /** Given when the log wants to know how many there are. */
  readonly openCalls?: OpenCalls;
  readonly log: Log;
  readonly clock: Clock;
  readonly vault: Vault;
  /** Key of argument digests. */
  readonly digestKey: Uint8Array;
  readonly random: () => number;
  readonly connect: ConnectionPorts["connect"];
  /** How servers are connected, as configured now. */
  readonly settings: ConnectionPorts["settings"];
  readonly failpoint: (name: string) => void;
  /** Why no call that may act can be admitted now. */
  readonly closedFor?: () => string | undefined;
  readonly onTurnFailed: (to: string, error: unknown) => void;
  /** The folder for what is too large for an answer. */
  readonly attachments: () => string;
  /** Characters of a resource's text that are told as they are. */
  readonly inlineTextLimit: () => number;
  readonly agentServers: AgentServerOptions;
  /** What a model said of a server, if one did. */
  readonly summaryOf?: (server: string) => string | undefined;
}
export interface Kernel {
  readonly runtime: Runtime;
  readonly openCalls: OpenCalls;
  readonly views: CallViews;
  readonly connections: Connections;
  readonly definitions: Definitions;
  readonly timers: Timers;
  readonly ask: Ask;
  readonly subscribe: Subscriptions["subscribe"];
  readonly inquire: Inquire;
  readonly published: Published;
  /** For decisions of doors: what a built-in tool would know. */
  readonly factsOf: (server: string) => ServerFacts;
  /** Calls back with every batch once it is durable; returns the unsubscriber. */
  onCommitted(listener: (batch: Batch) => void): () => void;
  /** Calls back when published tools changed; returns the unsubscriber. */
  onPublished(listener: () => void): () => void;
}

/** Of a session, when a tool misses an argument: calls that may lead to its value. */
const EARLIER_MS = 3_600_000;

export function createKernel(options: KernelOptions): Kernel {
  const { log, clock, vault, digestKey, summaryOf, openCalls = createOpenCalls() } = options;
  const views = callViews(log);
  const definitions = createDefinitions({
    log,
    redact: vault.redactText,
    acceptedOf: (server, key) => serverOf(runtime.catalogue(), server)?.accepted.get(key),
    offeredOf: (server, key) => serverOf(runtime.catalogue(), server)?.offers.get(key),
    scan: createScan(() => runtime.catalogue()),
  });
  const published = createSignal<void>();
  const committed = createSignal<Batch>();

  // The runtime performs effects, and effects enter the runtime: the knot is tied with one late binding.
  let perform: (effect: Effect, from: string) => void = () => undefined;
  const runtime = createRuntime({
    log,
    now: clock.now,
    perform: (effect, from) => perform(effect, from),
    failpoint: options.failpoint,
    onCommitted: committed.send,
    onTurnFailed: options.onTurnFailed,
  });
  const timers = createTimers(clock, ({ address, key }) => void runtime.enter(address, { type: "wake", key }).catch(() => undefined));
  const subscriptions = createSubscriptions({ clock, redact: vault.redactText, connectionOf: (server) => connections.of(server) });
  const connections: Connections = createConnections({
    runtime,
    clock,
    random: options.random,
    connect: options.connect,
    declare: definitions.declare,
    declarePrompt: definitions.declarePrompt,
    declareDocument: definitions.declareDocument,
    redact: vault.redactText,
    settings: options.settings,
    subscribed: subscriptions.of,
    onResourceUpdated: subscriptions.updated,
  });
  const incarnation = (server: string) => serverOf(runtime.catalogue(), server)?.id ?? server;
  const definitionOf = (server: string, tool: string) => {
    const hash = tellableHash(serverOf(runtime.catalogue(), server), tool);
    return hash === undefined ? undefined : definitions.of(hash);
  };
  const publishedTool = createPublished(definitions.document);
  const factsOf = createFacts({ catalogue: runtime.catalogue, connections, documentOf: definitions.document, summaryOf });
  const context = createContext({
    runtime,
    views,
    definitions,
    connections,
    published: publishedTool,
    factsOf,
    search: createSearch(publishedTool, factsOf),
    save: createSaveFile(options.attachments),
    inlineTextLimit: options.inlineTextLimit,
    registrations: () => registrations,
  });
  const registrations = createRegistrations({ runtime, connections, clock, redact: vault.redactText, ...options.agentServers });

  const concealResult = (result: ToolResult, { session, server }: { session: string; server: string }): ToolResult =>
    vault.conceal(result, { session, server: incarnation(server) }).value;
  perform = createPerform({
    runtime,
    openCalls,
    timers,
    invoke: createInvoke({
      runtime,
      clock,
      openCalls,
      send: createSend({ connections, context, redact: vault.redactText, conceal: concealResult }),
      failpoint: options.failpoint,
      assess: createAssess({
        definitionOf: (server, tool) => (server === BUILTIN ? undefined : definitionOf(server, tool)),
        earlier: (session) => views.answered(session, runtime.now() - EARLIER_MS),
        now: runtime.now,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      }),
      conceal: concealResult,
      redact: vault.redactText,
      resultDigest: createResultDigest(() => runtime.catalogue(), digestKey),
    }),
    connect: (server) => connections.hurry(server),
    publish: () => published.send(),
  });

  const askOnce = createAsk({
    runtime,
    openCalls,
    views,
    now: clock.now,
    builtin: builtinForms(context),
    reveal: (args, { session, server }) => vault.reveal(args, { session, server: incarnation(server) }),
    conceal: (args, scope) => vault.conceal(args, scope).value,
    redact: vault.redactText,
    closedFor: options.closedFor ?? (() => undefined),
    digest: (value) => argumentDigest(digestKey, value),
    schemaOf: (hash) => definitions.of(hash)?.inputSchema,
    brokenBound,
  });
  const ask = withHeartbeats(askOnce, { clock, heartbeatMs: () => HEARTBEAT_MS });
  return {
    runtime,
    openCalls,
    views,
    connections,
    definitions,
    timers,
    ask,
    subscribe: subscriptions.subscribe,
    inquire: createInquire({ connections, clock, conceal: concealResult, redact: vault.redactText }),
    published: publishedTool,
    factsOf,
    onCommitted: committed.listen,
    onPublished: published.listen,
  };
}
