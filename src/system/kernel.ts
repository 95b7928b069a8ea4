/** The heart put together: log, runtime, calls, effects. Everything that is decided and recorded goes through here. */
import { randomBytes } from "node:crypto";
import { sessionAddress } from "../../actors/address.ts";
import { placeIn, serverOf, tellableHash } from "../../actors/catalogue.ts";
import { profileOf } from "../../actors/policy/defaults.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import { type Ask, createAsk } from "../calls/ask.ts";
import { withFirstContact } from "../calls/first-contact.ts";
import { withHeartbeats } from "../calls/heartbeat.ts";
import { createJudgedBy } from "../calls/judged-again.ts";
import { callViews } from "../calls/log-views.ts";
import { createOpenCalls, type OpenCalls } from "../calls/open-calls.ts";
import type { CallViews } from "../calls/views.ts";
import { createAskPeople } from "../effects/ask-people.ts";
import { type Connections, createConnections } from "../effects/connections.ts";
import { createInvoke } from "../effects/invoke.ts";
import { createPerform } from "../effects/perform.ts";
import { createSubscriptions, type Subscriptions } from "../effects/subscriptions.ts";
import { createSaveFile } from "../files/attachments.ts";
import { createPublished, type Published } from "../mcp/published.ts";
import { createRequestStateCodec } from "../mcp/upstream/request-state.ts";
import { createGuardedFetch } from "../net/guarded-fetch.ts";
import { withQuestions } from "../questions/ask-on.ts";
import { createWhileOffering } from "../questions/offer.ts";
import type { Batch } from "../runtime/event-log.ts";
import type { Effect } from "../runtime/settle.ts";
import { createTimers, type Timers } from "../runtime/timers.ts";
import { createRuntime, type Runtime } from "../runtime/turn.ts";
import type { ServerFacts } from "../tools/define.ts";
import { createAdmission } from "./admission.ts";
import { type ApprovalWebhook, createApprovalWebhook } from "./approval-webhook.ts";
import { builtinForms } from "./builtin.ts";
import { createConcealResult } from "./conceal-result.ts";
import { createContext } from "./context.ts";
import { createDefinitions, type Definitions } from "./definitions.ts";
import { createFacts } from "./facts.ts";
import { createHooks, type Hooks } from "./hooks.ts";
import { createInquire, type Inquire } from "./inquire.ts";
import { hookless, type KernelOptions, NO_MODELS } from "./kernel-options.ts";
import { createLegPorts } from "./leg-ports.ts";
import { createQuestions, type Questions } from "./questions.ts";
import { createRegistrations } from "./registrations.ts";
import { createResultDigest } from "./result-digest.ts";
import { createScan } from "./scan.ts";
import { createSearch } from "./search.ts";
import { createSend } from "./send.ts";
import { createSignal } from "./signal.ts";

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
  readonly webhook: ApprovalWebhook;
  /** For decisions of doors: what a built-in tool would know. */
  readonly factsOf: (server: string) => ServerFacts;
  readonly hookCounts: Hooks["counts"];
  readonly questions: Questions;
  /** Calls back with every batch once it is durable; returns the unsubscriber. */
  onCommitted(listener: (batch: Batch) => void): () => void;
  /** Calls back when published tools changed; returns the unsubscriber. */
  onPublished(listener: () => void): () => void;
}

const randomId = () => randomBytes(16).toString("hex");

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
    onQuestion: (server, question) => questions.inBand(server, question),
    placeOf: (server) => placeIn(runtime.catalogue(), server),
  });
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
    published: publishedTool,
    factsOf,
    search: createSearch(publishedTool, factsOf),
    save: createSaveFile(options.attachments),
    inlineTextLimit: options.inlineTextLimit,
    registrations: () => registrations,
    questions: () => questions,
  });
  const registrations = createRegistrations({ runtime, connections, clock, redact: vault.redactText, ...options.agentServers });

  const concealResult = createConcealResult({ vault, catalogue: runtime.catalogue });
  const profileOfSession = (session: string) => (runtime.stateOf(sessionAddress(session)) as SessionState).profile;
  const webhook = createApprovalWebhook({
    addressOf: options.webhookOf ?? ((profile) => profileOf(runtime.catalogue().policy, profile).approvals.webhook),
    profileOf: profileOfSession,
    fetch: options.fetch ?? createGuardedFetch(options.agentServers),
  });
  const builtin = builtinForms(context);
  const { closedFor, runHook: run = hookless } = options;
  const admission = createAdmission({ catalogue: runtime.catalogue, log, vault, definitions, builtin, digestKey, closedFor });
  const judgedBy = createJudgedBy({ catalogue: () => runtime.catalogue(), profileOf: profileOfSession, redact: vault.redactText });
  const { legs, finish } = createLegPorts({ runtime, views, definitionOf, judgedBy, conceal: concealResult });
  const codec = createRequestStateCodec(options.stateKey);
  const { sealed, llm = NO_MODELS } = options;
  const { digest } = admission;
  const questions = createQuestions({
    ...{ runtime, clock, openCalls, views, vault, sealed, codec, llm, digest, randomId, definitionOf, finish },
    connections: () => connections,
  });
  const hooks = createHooks({ runtime, clock, openCalls, views, callOfTask: questions.callOfTask, vault, admission, run, randomId });
  committed.listen(hooks.ended);
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
      ...legs,
      ...questions.legs,
      redact: vault.redactText,
      resultDigest: createResultDigest(() => runtime.catalogue(), digestKey),
    }),
    consult: hooks.consult,
    connect: (server) => connections.hurry(server),
    publish: () => published.send(),
    ...questions.effects,
    askPeople: createAskPeople({ runtime, openCalls, views, now: runtime.now, redact: vault.redactText, notify: webhook.notify }),
  });

  const askOnce = createAsk({ runtime, openCalls, views, now: clock.now, randomId, ...admission });
  const { parked, answer } = questions;
  const whileOffering = createWhileOffering({ runtime, clock, openCalls, randomId });
  const met = withFirstContact(askOnce, { catalogue: runtime.catalogue, clock, isSettling: connections.isSettling });
  const asked = withQuestions(met, { runtime, openCalls, views, parked, codec, answer, whileOffering, redact: vault.redactText });
  const ask = withHeartbeats(asked, { clock, heartbeatMs: () => runtime.catalogue().offer.heartbeatMs });
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
    webhook,
    factsOf,
    hookCounts: hooks.counts,
    questions,
    onCommitted: committed.listen,
    onPublished: published.listen,
  };
}
