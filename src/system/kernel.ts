/** The heart put together: log, runtime, calls, effects. Everything that is decided and recorded goes through here. */
import { BUILTIN, serverAddress, sessionAddress } from "../../actors/address.ts";
import { serverOf } from "../../actors/catalogue.ts";
import type { ServerState } from "../../actors/server-commands.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import { shownOffers } from "../../actors/shown.ts";
import type { Caller } from "../calls/admission.ts";
import { type Ask, createAsk } from "../calls/ask.ts";
import { createAssess } from "../calls/assess.ts";
import { withHeartbeats } from "../calls/heartbeat.ts";
import { callViews } from "../calls/log-views.ts";
import { createOpenCalls, type OpenCalls } from "../calls/open-calls.ts";
import type { CallViews } from "../calls/views.ts";
import type { ConnectionPorts } from "../effects/connection.ts";
import { type Connections, createConnections } from "../effects/connections.ts";
import { createInvoke } from "../effects/invoke.ts";
import { createPerform } from "../effects/perform.ts";
import type { Log } from "../log/log.ts";
import type { CallOutcome } from "../mcp/downstream/downstream.ts";
import { brokenBound } from "../observe/bounds.ts";
import { argumentDigest } from "../observe/digest.ts";
import type { Batch } from "../runtime/event-log.ts";
import type { Effect } from "../runtime/settle.ts";
import { type Clock, createTimers, type Timers } from "../runtime/timers.ts";
import { createRuntime, type Runtime } from "../runtime/turn.ts";
import type { Vault } from "../secrets/vault.ts";
import type { ToolContext } from "../tools/define.ts";
import { builtinForms, runBuiltin } from "./builtin.ts";
import { createDefinitions, type Definitions } from "./definitions.ts";
import { createSignal } from "./signal.ts";

/** Clients give up after a minute of silence. */
const HEARTBEAT_MS = 10_000;

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
}
export interface Kernel {
  readonly runtime: Runtime;
  readonly openCalls: OpenCalls;
  readonly views: CallViews;
  readonly connections: Connections;
  readonly definitions: Definitions;
  readonly timers: Timers;
  readonly ask: Ask;
  /** Calls back with every batch once it is durable; returns the unsubscriber. */
  onCommitted(listener: (batch: Batch) => void): () => void;
  /** Calls back when published tools changed; returns the unsubscriber. */
  onPublished(listener: () => void): () => void;
  /** Calls back when a resource that somebody subscribed to changed, or may have; returns the unsubscriber. */
  onResourceUpdated(listener: (resource: { readonly server: string; readonly uri: string }) => void): () => void;
}

/** Of a session, when a tool misses an argument: calls that may lead to its value. */
const EARLIER_MS = 3_600_000;

export function createKernel(options: KernelOptions): Kernel {
  const { log, clock, vault, digestKey, openCalls = createOpenCalls() } = options;
  const views = callViews(log);
  const definitions = createDefinitions({
    log,
    redact: vault.redactText,
    acceptedOf: (server, key) => serverOf(runtime.catalogue(), server)?.accepted.get(key),
  });
  const published = createSignal<void>();
  const committed = createSignal<Batch>();
  const updated = createSignal<{ readonly server: string; readonly uri: string }>();

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
  const connections = createConnections({
    runtime,
    clock,
    random: options.random,
    connect: options.connect,
    declare: definitions.declare,
    declarePrompt: definitions.declarePrompt,
    declareDocument: definitions.declareDocument,
    redact: vault.redactText,
    settings: options.settings,
    onResourceUpdated: (server, uri) => updated.send({ server, uri }),
  });
  const incarnation = (server: string) => serverOf(runtime.catalogue(), server)?.id ?? server;
  const definitionOf = (server: string, tool: string) => {
    const offer = serverOf(runtime.catalogue(), server)?.offers.get(tool);
    return offer && definitions.of(offer.hash);
  };
  const context = ({ session, agent, profile }: Caller): ToolContext => ({
    session,
    agent,
    profile,
    catalogue: runtime.catalogue(),
    views,
    isInDoubt: (server: string, call: string) => call in (runtime.stateOf(serverAddress(server)) as ServerState).inDoubt,
    definitionOf: definitions.of,
    documentOf: definitions.document,
    shown: () => shownOffers(runtime.catalogue(), profile, (runtime.stateOf(sessionAddress(session)) as SessionState).shown),
    activate: (names: readonly string[]) => runtime.enter(sessionAddress(session), { type: "activate", names }),
    factsOf: (server: string) => factsOf(connections, server, vault.redactText),
  });

  perform = createPerform({
    runtime,
    openCalls,
    timers,
    invoke: createInvoke({
      runtime,
      clock,
      openCalls,
      send: (server, call, request): Promise<CallOutcome> =>
        server === BUILTIN ? runBuiltin(request, context(call)) : connections.send(server, call, request),
      failpoint: options.failpoint,
      assess: createAssess({
        definitionOf: (server, tool) => (server === BUILTIN ? undefined : definitionOf(server, tool)),
        earlier: (session) => views.answered(session, runtime.now() - EARLIER_MS),
        now: runtime.now,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      }),
      conceal: (result, { session, server }) => vault.conceal(result, { session, server: incarnation(server) }).value,
      redact: vault.redactText,
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
    onCommitted: committed.listen,
    onPublished: published.listen,
    onResourceUpdated: updated.listen,
  };
}

/** Instructions are redacted before a tool cuts them to length. */
function factsOf(connections: Connections, server: string, redact: (text: string) => string) {
  const connection = connections.of(server);
  const introduction = connection?.downstream?.introduction;
  return {
    state: connection?.state ?? "disconnected",
    ...(introduction && { implementation: introduction.serverInfo }),
    ...(introduction?.instructions !== undefined && { instructions: redact(introduction.instructions) }),
  };
}
