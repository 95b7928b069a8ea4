/** Follows the tasks of servers: asks each for its state at its own pace, puts its questions, tells its end, and stops it. */
import { serverAddress, TASKS } from "../../actors/address.ts";
import { taskLimits } from "../../actors/catalogue.ts";
import type { AskedQuestion } from "../../actors/elicit/notes.ts";
import type { ServerState } from "../../actors/server-commands.ts";
import type { Running, TasksState } from "../../actors/tasks-commands.ts";
import type { Capability } from "../../events/call.ts";
import type { CallOutcome, InputRequest, TaskReport, TaskRequests } from "../mcp/downstream/downstream.ts";
import type { Command } from "../runtime/event-log.ts";
import type { Clock } from "../runtime/timers.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { Kept, KeptTask } from "./kept.ts";
import type { Responses } from "./rounds.ts";

export interface TaskWatch {
  watch(id: string): void;
  leave(id: string): void;
  /** Tells its server to stop it; ends it after a moment if that is not confirmed. */
  cancel(id: string, server: string): void;
}
/** The end of a task's call, as its server's actor is told. */
export type TaskFinish = (end: {
  readonly task: Running;
  readonly kept: KeptTask;
  readonly capability: Capability;
  readonly outcome: CallOutcome;
}) => Readonly<Record<string, unknown>>;

export interface WatchPorts {
  readonly runtime: Pick<Runtime, "enter" | "catalogue" | "stateOf">;
  readonly clock: Clock;
  readonly kept: Kept<KeptTask>;
  /** Undefined while the server is not connected. */
  readonly requestsOf: (server: string) => TaskRequests | undefined;
  readonly finish: TaskFinish;
  /** Input keys of a task that wait for somebody outside. */
  readonly waiting: (id: string) => readonly string[];
  /** Puts a question of a task to whoever answers; the answers come back by the callback. False when nobody is asked. */
  readonly ask: (
    task: Running,
    kept: KeptTask,
    requests: Readonly<Record<string, InputRequest>>,
    reply: (responses: Responses, records: readonly AskedQuestion[]) => void,
  ) => Promise<boolean>;
}

/** Between two requests about tasks to the same server. */
const GAP_MS = 50;
const CANCEL_GRACE_MS = 5000;
const MAX_INPUT_KEYS = 1000;

interface Watched {
  disarm: () => void;
  /** Input keys that were put to somebody, answered or not. */
  readonly asked: Set<string>;
  everyMs: number;
  cancelUntil?: number;
}

export function createTaskWatch({
  runtime,
  clock,
  kept,
  requestsOf,
  finish,
  waiting,
  ask,
}: WatchPorts): TaskWatch & { readonly answered: TaskAnswered } {
  const watched = new Map<string, Watched>();
  const free = new Map<string, number>();
  const taskOf = (id: string): Running | undefined => (runtime.stateOf(TASKS) as TasksState).open[id];
  const enter = (to: string, command: Command) => runtime.enter(to, command).catch(() => undefined); // recorded as turn.failed

  /** Servers are asked one after the other, however many tasks they have. */
  const arm = (id: string, server: string, ms: number) => {
    const entry = watched.get(id);
    if (!entry) return;
    entry.disarm();
    const at = Math.max(clock.now() + ms, free.get(server) ?? 0);
    free.set(server, at + GAP_MS);
    entry.disarm = clock.after(at - clock.now(), () => void poll(id));
  };
  const clamp = (ms: number) => {
    const { pollMinMs, pollMaxMs } = taskLimits(runtime.catalogue());
    return Math.min(pollMaxMs, Math.max(pollMinMs, ms));
  };

  const poll = async (id: string) => {
    const task = taskOf(id);
    const entry = watched.get(id);
    const known = kept.get(id);
    if (!task || !entry) return;
    const requests = requestsOf(task.server);
    if (requests && !known) return lose(task, "what it takes to ask for it is gone");
    // A server that is away says nothing about its tasks: their deadline bounds the wait.
    const report: TaskReport | undefined = known && (await requests?.report(known));
    if (!taskOf(id) || watched.get(id) !== entry) return;
    if (known && report) await heed(task, known, entry, report);
    const still = taskOf(id);
    if (!still || watched.get(id) !== entry) return;
    if (entry.cancelUntil !== undefined && clock.now() >= entry.cancelUntil) return unconfirmed(still);
    arm(id, task.server, entry.cancelUntil === undefined ? entry.everyMs : Math.min(entry.everyMs, CANCEL_GRACE_MS / 10));
  };

  const heed = async (task: Running, known: KeptTask, entry: Watched, report: TaskReport): Promise<void> => {
    const { id, server, call } = task;
    if ("pollIntervalMs" in report && report.pollIntervalMs !== undefined) entry.everyMs = clamp(report.pollIntervalMs);
    switch (report.kind) {
      case "working":
        if (task.failures > 0 || task.status !== "working") await enter(TASKS, { type: "polled", id, status: "working" });
        return;
      case "input_required":
        return questions(task, known, entry, report.requests);
      case "ended": {
        const status = report.outcome.kind === "rpc_error" ? "failed" : "completed";
        const end = finish({ task, kept: known, capability: capabilityOf(task), outcome: report.outcome });
        await enter(serverAddress(server), { type: "return", call, ...end, task: { id, status } });
        return;
      }
      case "cancelled":
        await settle(task, { certainty: "not_applied", code: "cancelled", reason: "its server has cancelled the task" }, "cancelled");
        return;
      case "unknown":
        return lose(task, "its server does not know the task any more");
      case "failed":
        await enter(TASKS, { type: "polled", id });
        return;
    }
  };

  const questions = async (task: Running, known: KeptTask, entry: Watched, requests: Readonly<Record<string, InputRequest>>) => {
    const fresh = Object.entries(requests).filter(([key]) => !entry.asked.has(key));
    if (fresh.length === 0) {
      if (task.failures > 0) await enter(TASKS, { type: "polled", id: task.id, status: "input_required" });
      return;
    }
    if (entry.asked.size + fresh.length > MAX_INPUT_KEYS) {
      cancel(task.id, task.server);
      const reason = "the task asks beyond a bound (task-input-keys)";
      return settle(task, { certainty: "in_doubt", code: "execution_failed", reason }, "failed");
    }
    for (const [key] of fresh) entry.asked.add(key);
    await enter(TASKS, { type: "polled", id: task.id, status: "input_required" });
    await ask(task, known, Object.fromEntries(fresh), (responses, records) => void answered(task.id, responses, records));
  };

  /** Sends answers, and remembers that these keys have theirs; what did not arrive is asked again while the server still wants it. */
  const answered: TaskAnswered = async (id, responses, records) => {
    const task = taskOf(id);
    const known = task && kept.get(id);
    if (!known) return;
    const keys = Object.keys(responses);
    const sent = await requestsOf(task.server)?.answer(known, responses);
    const still = kept.get(id);
    if (sent?.kind !== "result" && sent?.kind !== "rpc_error") for (const key of keys) watched.get(id)?.asked.delete(key);
    else if (still) kept.put(id, { ...still, answered: [...still.answered, ...keys], records: [...still.records, ...records] });
    await enter(TASKS, { type: "goesOn", id });
    arm(id, task.server, 0);
  };

  const capabilityOf = ({ server, call }: Running): Capability =>
    (runtime.stateOf(serverAddress(server)) as ServerState).suspended[call]?.capability ?? "mutating";
  const settle = async (task: Running, end: Readonly<Record<string, unknown>>, status: "failed" | "cancelled" | "lost") => {
    const { id, server, call } = task;
    const certainty = end["certainty"] === "in_doubt" && capabilityOf(task) === "read" ? "not_applied" : end["certainty"];
    await enter(serverAddress(server), { type: "return", call, ...end, certainty, task: { id, status } });
  };
  const lose = async (task: Running, reason: string) => settle(task, { certainty: "in_doubt", code: "execution_failed", reason }, "lost");
  const unconfirmed = async (task: Running) =>
    settle(task, { certainty: "in_doubt", code: "cancelled", reason: "its cancel was not confirmed" }, "cancelled");

  function cancel(id: string, server: string): void {
    const known = kept.get(id);
    if (known) void requestsOf(server)?.cancel(known);
    const entry = watched.get(id);
    if (!entry || entry.cancelUntil !== undefined) return;
    entry.cancelUntil = clock.now() + CANCEL_GRACE_MS;
    arm(id, server, GAP_MS);
  }

  return {
    watch(id) {
      const task = taskOf(id);
      if (!task?.polled || watched.has(id)) return;
      const everyMs = task.polled.everyMs;
      watched.set(id, { disarm: () => undefined, asked: new Set([...(kept.get(id)?.answered ?? []), ...waiting(id)]), everyMs });
      arm(id, task.server, everyMs);
      if (task.cancelling) cancel(id, task.server);
    },
    leave(id) {
      watched.get(id)?.disarm();
      watched.delete(id);
      kept.drop(id);
    },
    cancel,
    answered,
  };
}
export type TaskAnswered = (id: string, responses: Responses, records: readonly AskedQuestion[]) => Promise<void>;
