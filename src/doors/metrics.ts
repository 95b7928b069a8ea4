/** `/metrics`: what is counted from committed events, and what is read off when it is asked for. Labels never hold what an agent made up. */
import type { Offer } from "../../actors/catalogue.ts";
import type { ApprovalResolved } from "../../events/approval.ts";
import type { CallAnswered, CallQueued, CallRefused, CallRequested } from "../../events/call.ts";
import type { EventOf } from "../../events/define.ts";
import type { CallResumed } from "../../events/leg.ts";
import type { NewEvent } from "../runtime/event-log.ts";
import { createQuestionMetrics } from "./metrics-questions.ts";
import { createHistogram, type Histogram, metricText, type Sample } from "./metrics-text.ts";
import { createWayMetrics } from "./metrics-ways.ts";

export interface MetricsPorts {
  /** The published tool of this name. */
  readonly offerOf: (name: string) => Offer | undefined;
  /** Unresolved doubts in the log. */
  readonly inDoubt: () => number;
  /** Questions and tasks that are open in the log. */
  readonly openQuestions: () => number;
  readonly runningTasks: () => number;
  /** The configured name of a server, by its stream. */
  readonly serverName: (stream: string) => string;
  /** Posts to approvals' webhooks that did not arrive. */
  readonly webhookFailures: () => number;
  readonly sessionsInMemory: () => number;
  readonly position: () => number;
  readonly walBytes: () => number;
  /** The state of every downstream connection. */
  readonly connections: () => readonly string[];
  /** How often hooks did what. */
  readonly hooks: () => readonly Sample[];
  /** Of questions and reads, what no event tells. */
  readonly counted: () => string;
  readonly version: string;
  readonly build: string;
}
/** What one commit brought. */
export interface Committed {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly events: readonly NewEvent[];
}
export interface Metrics {
  /** To be called once after each commit, in order. Never throws. */
  observeCommit(committed: Committed): void;
  gauges(): { readonly inFlight: number; readonly waiting: number; readonly turnsFailed: number };
  respond(): Response;
}

/** A server may publish new names for ever: beyond so many series the tool is not named any more. */
const MAX_SERIES = 2000;
const MAX_SERVERS = 200;
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];
const CONNECTION_STATES = ["connecting", "connected", "disconnected"];

interface Open {
  readonly server: string;
  readonly tool: string;
  readonly at: number;
}
interface Series {
  readonly labels: Readonly<Record<string, string>>;
  value: number;
}

export function createMetrics(ports: MetricsPorts): Metrics {
  const open = new Map<string, Open>();
  const inFlight = new Set<string>();
  const waiting = new Set<string>();
  const calls = new Map<string, Series>();
  const toolErrors = new Map<string, Series>();
  const durations = new Map<string, Histogram>();
  const events = new Map<string, number>();
  const approvals = new Map<string, number>();
  const questions = createQuestionMetrics(ports.serverName);
  const ways = createWayMetrics(ports.offerOf);
  let turnsFailed = 0;

  /** Labels are joined with a character that no name has. */
  const count = (series: Map<string, Series>, { server, tool }: Pick<Open, "server" | "tool">, more: Readonly<Record<string, string>>) => {
    let key = `${server}\0${tool}`;
    for (const label in more) key += `\0${more[label]}`;
    const known = series.get(key);
    if (known) known.value++;
    else if (tool !== "" && series.size >= MAX_SERIES) count(series, { server: "", tool: "" }, more);
    else series.set(key, { labels: { server, tool, ...more }, value: 1 });
  };
  const durationOf = (server: string): Histogram => {
    const name = durations.has(server) || durations.size < MAX_SERVERS ? server : "";
    const known = durations.get(name) ?? createHistogram(SECONDS);
    durations.set(name, known);
    return known;
  };
  const ended = ({ call, certainty, code, isError }: EventOf<typeof CallAnswered>["data"], at: number) => {
    waiting.delete(call);
    const asked = open.get(call);
    if (!asked) return; // asked before this process started
    open.delete(call);
    count(calls, asked, { certainty, code: code ?? "" });
    if (isError) count(toolErrors, asked, {});
    durationOf(asked.server).observe((at - asked.at) / 1000);
  };
  const handlers: Readonly<Record<string, (event: NewEvent, at: number) => void>> = {
    "call.requested": ({ data }, at) => {
      const { call, server, tool } = data as EventOf<typeof CallRequested>["data"];
      open.set(call, { server, tool, at });
    },
    "call.refused": ({ data }) => {
      const { name, code } = data as EventOf<typeof CallRefused>["data"];
      const offer = ports.offerOf(name);
      count(calls, offer ?? { server: "", tool: "" }, { certainty: "not_applied", code });
    },
    "call.queued": ({ data }) => void waiting.add((data as EventOf<typeof CallQueued>["data"]).call),
    "call.dispatched": ({ data }) => {
      const { call } = data as { call: string };
      waiting.delete(call);
      inFlight.add(call);
    },
    "approval.resolved": ({ data }) => {
      const { outcome } = data as EventOf<typeof ApprovalResolved>["data"];
      approvals.set(outcome, (approvals.get(outcome) ?? 0) + 1);
    },
    "call.suspended": ({ data }) => void inFlight.delete((data as { call: string }).call),
    "call.resumed": ({ data }) => {
      const { call, leg } = data as EventOf<typeof CallResumed>["data"];
      if (leg !== undefined) inFlight.add(call);
    },
    "call.rejected": ({ data }) => void waiting.delete((data as { call: string }).call),
    "call.settled": ({ data }) => void inFlight.delete((data as { call: string }).call),
    "call.answered": ({ data }, at) => ended(data as EventOf<typeof CallAnswered>["data"], at),
    "turn.failed": () => void turnsFailed++,
  };

  const one = (name: string, help: string, value: number, type: "counter" | "gauge" = "gauge") => metricText(name, type, help, [{ value }]);
  const text = (): string => {
    const states = ports.connections();
    const perState: Sample[] = CONNECTION_STATES.map((state) => ({
      labels: { state },
      value: states.filter((own) => own === state).length,
    }));
    const { user, system } = process.cpuUsage();
    return [
      metricText("toolcrib_build_info", "gauge", "The running program.", [
        { labels: { version: ports.version, build: ports.build }, value: 1 },
      ]),
      metricText("toolcrib_calls_total", "counter", "Calls that ended, refused ones too; code is empty when the tool answered.", [
        ...calls.values(),
      ]),
      ways.text(),
      metricText("toolcrib_tool_errors_total", "counter", "Answers in which the tool itself reported an error.", [...toolErrors.values()]),
      metricText("toolcrib_call_duration_seconds", "histogram", "From the request to the answer, waiting included.", [
        ...[...durations].flatMap(([server, histogram]) => histogram.samples({ server })),
      ]),
      one("toolcrib_calls_in_flight", "Calls that were sent and have no outcome yet.", inFlight.size),
      one("toolcrib_calls_waiting", "Calls that wait for a slot or a connection.", waiting.size),
      one("toolcrib_calls_in_doubt", "Calls whose outcome nobody knows.", ports.inDoubt()),
      metricText("toolcrib_approvals_total", "counter", "Approvals that were decided, withdrawn or left to expire.", [
        ...[...approvals].map(([outcome, value]) => ({ labels: { outcome }, value })),
      ]),
      one("toolcrib_approval_webhook_failures_total", "Posts to a webhook that did not arrive.", ports.webhookFailures(), "counter"),
      questions.text(),
      one("toolcrib_questions_open", "Questions of servers that wait for somebody outside their call.", ports.openQuestions()),
      ports.counted(),
      one("toolcrib_tasks_running", "Calls that go on in the background.", ports.runningTasks()),
      one("toolcrib_sessions_in_memory", "Sessions that gave a sign of life lately.", ports.sessionsInMemory()),
      metricText("toolcrib_events_total", "counter", "Events committed by this process.", [
        ...[...events].map(([type, value]) => ({ labels: { type }, value })),
      ]),
      metricText(
        "toolcrib_hooks_total",
        "counter",
        "Hooks that were asked before a call or told after it, by what came of it.",
        ports.hooks(),
      ),
      one("toolcrib_log_position", "Position of the last committed event.", ports.position()),
      one("toolcrib_log_wal_bytes", "Size of the write-ahead log.", ports.walBytes()),
      one("toolcrib_turns_failed_total", "Turns that threw: defects of toolcrib.", turnsFailed, "counter"),
      metricText("toolcrib_connections", "gauge", "Connections to downstream servers by state.", perState),
      one("process_resident_memory_bytes", "Resident memory.", process.memoryUsage.rss()),
      one("process_cpu_seconds_total", "User and system CPU time.", (user + system) / 1e6, "counter"),
      one("process_start_time_seconds", "Start of the process since the epoch.", Math.round(performance.timeOrigin) / 1000),
    ].join("");
  };

  return {
    observeCommit({ at, events: committed }) {
      for (const event of committed) {
        events.set(event.type, (events.get(event.type) ?? 0) + 1);
        handlers[event.type]?.(event, at);
        questions.handlers[event.type]?.(event);
        ways.handlers[event.type]?.(event);
      }
    },
    gauges: () => ({ inFlight: inFlight.size, waiting: waiting.size, turnsFailed }),
    respond: () => new Response(text(), { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } }),
  };
}
