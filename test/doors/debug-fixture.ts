/** The harness with one server `mail` that answers as the test says, one that is refused, and the debug routes over its log. */
import { nameOf, REGISTRY } from "../../actors/address.ts";
import { DEFAULT_ELICITATION, DEFAULT_LIMITS, OPEN_POLICY, serverOf } from "../../actors/catalogue.ts";
import { stateAt } from "../../src/audit/state-at.ts";
import { type DebugPorts, debugRoutes } from "../../src/doors/debug/routes.ts";
import { createMetrics } from "../../src/doors/metrics.ts";
import type { Log } from "../../src/log/log.ts";
import type { CallOutcome, CallRequest } from "../../src/mcp/downstream/downstream.ts";
import type { Batch } from "../../src/runtime/event-log.ts";
import { fakeServer, harness, memoryLog, text, tool } from "../harness.ts";

export const MAIL_ID = "000000000000";
const SQL_WORKER = new URL("../../src/doors/debug/sql-worker.ts", import.meta.url).pathname;
/** What the hidden verb of the program does. */
const SQL_CHILD = `const { serveSqlWorker } = await import(${JSON.stringify(SQL_WORKER)}); await serveSqlWorker();`;
export const sqlCommand = () => [process.execPath, "-e", SQL_CHILD];

interface BenchOptions {
  readonly log?: Log;
  /** The data folder of that log. */
  readonly folder?: string;
  readonly ports?: Partial<DebugPorts>;
}
type Body = Readonly<Record<string, unknown>> & { readonly position: number };

export async function bench({ log = memoryLog(), folder, ports = {} }: BenchOptions = {}) {
  const listeners = new Set<() => void>();
  const observed: Log = Object.assign(Object.create(log), {
    append: async (batch: Batch) => {
      await log.append(batch);
      metrics.observeCommit(batch);
      for (const listener of listeners) listener();
    },
  });
  const mail: { answer: (request: CallRequest) => Promise<CallOutcome>; stderr: readonly string[] } = {
    answer: async () => text("sent"),
    stderr: [],
  };
  const fake = fakeServer([tool("send"), tool("look")]);
  const { connect } = fake;
  Object.assign(fake, {
    connect: async (events: Parameters<typeof connect>[0]) =>
      Object.assign(await connect(events), { pid: 4242, call: (request: CallRequest) => mail.answer(request), stderr: () => mail.stderr }),
  });
  // Made before the harness, which commits at once: what it reads off the harness it reads later.
  const metrics = createMetrics({
    offerOf: (name) => made.runtime.catalogue().names.get(name),
    webhookFailures: () => 0,
    openQuestions: () => made.views.openQuestions(),
    runningTasks: () => made.views.runningTasks(),
    serverName: (stream) => serverOf(made.runtime.catalogue(), nameOf(stream))?.name ?? "",
    inDoubt: () => made.views.doubts().length,
    sessionsInMemory: () => 0,
    position: () => log.head.position,
    walBytes: () => 0,
    connections: () => made.connections.all().map(({ state }) => state),
    hooks: () => [],
    counted: () => "",
    version: "1",
    build: "b",
  });
  const policies = { mail: { capabilities: { look: "read" as const }, tasks: true as const } };
  const made = await harness({ servers: { mail: fake }, policies, log: observed });
  const { runtime, connections, clock, vault } = made;
  const of = (name: string, transport: string) => ({ name, id: MAIL_ID, origin: name === "builtin" ? name : "operator", transport });
  await runtime.enter(REGISTRY, {
    type: "configure",
    digest: "d2",
    limits: DEFAULT_LIMITS,
    naming: "prefixed",
    servers: [of("builtin", "builtin"), of("mail", "stdio"), { ...of("broken", "http"), id: "bbbbbbbbbbbb", refused: "TOKEN is not set" }],
    policies: { builtin: OPEN_POLICY, mail: { ...OPEN_POLICY, ...policies.mail } },
    elicitation: { ...DEFAULT_ELICITATION, mode: "handback" },
  });

  const routes = debugRoutes({
    reader: log,
    clock,
    onCommitted(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stopping: new AbortController().signal,
    stateAt: (stream, at) => stateAt(log, stream, at),
    catalogue: runtime.catalogue,
    definitionOf: made.definitions.of,
    live(server) {
      const connection = connections.of(server);
      const { state, lastError, blocked, downstream } = connection ?? {};
      return state && { state, lastError, blocked, stderr: downstream?.stderr() ?? [], pid: downstream?.pid };
    },
    disabled: () => [{ name: "asleep", transport: "stdio" }],
    redact: vault.redactText,
    folder,
    sqlCommand,
    startedAt: clock.now(),
    version: "1",
    build: "b",
    config: () => ({ file: undefined, digest: "d2", appliedAt: clock.now(), errors: [], warnings: [] }),
    gauges: metrics.gauges,
    sessionsInMemory: () => 0,
    walBytes: () => 0,
    degraded: () => [],
    checkpoint: () => undefined,
    ...ports,
  });
  const operator = { name: "op", tokenHash: "", roles: ["view" as const] };
  const get = async (path: string, init?: RequestInit): Promise<Response> => {
    const request = new Request(`http://localhost${path}`, init);
    return (await routes(request, new URL(request.url), operator)) ?? new Response(null, { status: 404 });
  };
  const json = async (path: string): Promise<Body> => {
    const response = await get(path);
    const body = (await response.json()) as Body;
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
    return body;
  };
  return { ...made, log, mail, metrics, listeners, get, json };
}
export type Bench = Awaited<ReturnType<typeof bench>>;

/** The rows of a list. */
export const rows = (body: Readonly<Record<string, unknown>>, list: string) => body[list] as Record<string, unknown>[];
