/** Follows the tasks of servers: asks each for its state at its own pace, puts its questions, tells its end, and stops it. */
import { TASKS } from "../../actors/address.ts";
import { taskLimits } from "../../actors/catalogue.ts";
import type { Running, TasksState } from "../../actors/tasks-commands.ts";
import type { InputRequest, TaskHandle, TaskReport } from "../mcp/downstream/downstream.ts";
import type { Command } from "../runtime/event-log.ts";
import { createTaskEnds } from "./task-ends.ts";
import { bounded, createPace, inTime } from "./task-polls.ts";
import type { TaskAnswered, TaskReply, TaskWatch, WatchPorts } from "./task-watch.ts";

const CANCEL_GRACE_MS = 5000;
const MAX_INPUT_KEYS = 1000;
const NO_ANSWER: TaskReport = { kind: "failed", reason: "no answer in time" };

interface Watched {
  disarm: () => void;
  /** The server's own name for it; undefined when that is gone. */
  readonly handle: TaskHandle | undefined;
  /** Input keys that were put to somebody, answered or not. */
  readonly asked: Set<string>;
  /** So many, and those that were asked again. */
  put: number;
  everyMs: number;
  /** It is told to stop, and has a moment for that. */
  endGrace?: () => void;
}

export function createTaskWatch({
  runtime,
  clock,
  kept,
  requestsOf,
  finish,
  stops,
  waiting,
  ask,
}: WatchPorts): TaskWatch & { readonly answered: TaskAnswered } {
  const watched = new Map<string, Watched>();
  const pace = createPace(clock);
  const ends = createTaskEnds(runtime);
  const taskOf = (id: string): Running | undefined => (runtime.stateOf(TASKS) as TasksState).open[id];
  const enter = (command: Command) => runtime.enter(TASKS, command).catch(() => undefined); // recorded as turn.failed

  const arm = (id: string, server: string, ms: number) => {
    const entry = watched.get(id);
    if (!entry) return;
    entry.disarm();
    entry.disarm = pace.after(server, ms, () => void poll(id).catch(() => arm(id, server, entry.everyMs)));
  };

  const poll = async (id: string) => {
    const task = taskOf(id);
    const entry = watched.get(id);
    if (!task || !entry) return;
    const { handle } = entry;
    const requests = requestsOf(task.server);
    if (requests && !handle) return ends.lose(task, "what it takes to ask for it is gone");
    if (requests && task.cancelling && !entry.endGrace) return cancel(id, task.server);
    // A server that is away says nothing about its tasks: their deadline bounds the wait.
    const report = handle && requests && (await inTime(clock, (signal) => requests.report(handle, signal)));
    const now = taskOf(id);
    if (!now || watched.get(id) !== entry) return;
    if (requests) await heed(now, entry, report ?? NO_ANSWER);
    if (!taskOf(id) || watched.get(id) !== entry) return;
    arm(id, task.server, now.cancelling ? Math.min(entry.everyMs, CANCEL_GRACE_MS / 10) : entry.everyMs);
  };

  const heed = async (task: Running, entry: Watched, report: TaskReport): Promise<void> => {
    const { id } = task;
    if ("pollIntervalMs" in report && report.pollIntervalMs !== undefined)
      entry.everyMs = bounded(report.pollIntervalMs, taskLimits(runtime.catalogue()));
    switch (report.kind) {
      case "working":
        if (task.failures > 0 || task.status !== "working") await enter({ type: "polled", id, status: "working" });
        return;
      case "input_required":
        return questions(task, entry, report.requests);
      case "ended": {
        const known = kept.get(id);
        if (!known) return ends.lose(task, "what it takes to tell its end is gone");
        const status = report.outcome.kind === "rpc_error" ? "failed" : "completed";
        return ends.end(task, status, finish({ task, kept: known, capability: ends.capabilityOf(task), outcome: report.outcome }));
      }
      case "cancelled":
        return ends.cancelled(task);
      case "unknown":
        return ends.lose(task, "its server does not know the task any more");
      case "failed":
        return enter({ type: "polled", id });
    }
  };

  const questions = async (task: Running, entry: Watched, requests: Readonly<Record<string, InputRequest>>) => {
    const fresh = Object.entries(requests).filter(([key]) => !entry.asked.has(key));
    if (fresh.length === 0) {
      if (task.failures > 0) await enter({ type: "polled", id: task.id, status: "input_required" });
      return;
    }
    entry.put += fresh.length;
    if (entry.put > MAX_INPUT_KEYS) return beyond(task, "task-input-keys");
    const known = kept.get(task.id);
    if (!known) return ends.lose(task, "what it takes to ask for it is gone");
    for (const [key] of fresh) entry.asked.add(key);
    await enter({ type: "polled", id: task.id, status: "input_required" });
    const reply: TaskReply = (responses, records) => void answered(task.id, responses, records);
    const limit = await ask(task, known, Object.fromEntries(fresh), reply).catch((error: unknown) => {
      entry.put -= fresh.length; // it could not be put to anybody: it is asked again
      for (const [key] of fresh) entry.asked.delete(key);
      throw error;
    });
    if (limit !== undefined) await beyond(task, limit);
  };
  const beyond = (task: Running, limit: string) => {
    cancel(task.id, task.server);
    return ends.beyond(task, limit);
  };

  /** Sends answers, and remembers that these keys have theirs; what did not arrive is asked again while the server still wants it. */
  const answered: TaskAnswered = async (id, responses, records) => {
    const task = taskOf(id);
    const known = task && kept.get(id);
    if (!known) return;
    const keys = Object.keys(responses);
    const requests = requestsOf(task.server);
    const sent = requests && (await inTime(clock, (signal) => requests.answer(known, responses, signal)));
    const still = kept.get(id);
    if (sent?.kind !== "result" && sent?.kind !== "rpc_error") for (const key of keys) watched.get(id)?.asked.delete(key);
    else if (still) kept.put(id, { ...still, answered: [...still.answered, ...keys], records: [...still.records, ...records] });
    await enter({ type: "goesOn", of: { id } });
    arm(id, task.server, 0);
  };

  function cancel(id: string, server: string): void {
    if (!taskOf(id)) {
      stops.stop(id);
      return;
    }
    const known = kept.get(id);
    const requests = requestsOf(server);
    if (!requests) return; // the ledger remembers: it is told as soon as it is there, which after a restart is always later
    if (known) void inTime(clock, (signal) => requests.cancel(known, signal));
    const entry = watched.get(id);
    if (!entry || entry.endGrace) return;
    entry.endGrace = clock.after(CANCEL_GRACE_MS, () => {
      const task = taskOf(id);
      if (task && watched.get(id) === entry) void ends.unconfirmed(task);
    });
    arm(id, server, 0);
  }

  return {
    watch(id) {
      const task = taskOf(id);
      if (!task?.polled || watched.has(id)) return;
      const { everyMs } = task.polled;
      const known = kept.get(id);
      const asked = new Set([...(known?.answered ?? []), ...waiting(id)]);
      watched.set(id, {
        disarm: () => undefined,
        handle: known && { taskId: known.taskId, era: known.era },
        asked,
        put: asked.size,
        everyMs,
      });
      arm(id, task.server, task.cancelling ? 0 : everyMs);
    },
    leave(id) {
      const entry = watched.get(id);
      entry?.disarm();
      entry?.endGrace?.();
      watched.delete(id);
      if (!stops.has(id)) kept.drop(id);
    },
    cancel,
    answered,
    get size() {
      return watched.size;
    },
  };
}
