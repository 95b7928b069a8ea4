/** Follows tasks of servers of protocol 2025-11-25. Their outcome is a request of its own; on it, too, they ask what they have to know. */
import { RELATED_TASK_META_KEY } from "@modelcontextprotocol/client";
import type { StopSignal } from "../stop.ts";
import type { CallOutcome, TaskHandle, TaskReport, TaskRequests } from "./downstream.ts";
import { pollIntervalIn } from "./interim.ts";
import { isObject } from "./json.ts";
import { ANOTHER, isOther, notLearnt } from "./modern-tasks.ts";
import type { RawCalls } from "./raw-calls.ts";

/** The outcomes of so many are waited for or kept at a time; the oldest beyond are asked for anew. */
const MAX_ASKING = 256;

export function legacyTasks(calls: Pick<RawCalls, "request">): TaskRequests {
  /** Opened for the questions, before there was an outcome: each stays open until there is one, which is kept until it is reported. */
  const asking = new Map<string, CallOutcome | "open">();
  const ask = (method: string, { taskId }: TaskHandle, signal?: StopSignal) => calls.request({ method, params: { taskId }, signal });

  async function outcomeOf(task: TaskHandle, signal?: StopSignal): Promise<CallOutcome> {
    return withoutTask(await ask("tasks/result", task, signal));
  }

  function letItAsk(task: TaskHandle): void {
    if (asking.has(task.taskId)) return;
    for (const oldest of asking.keys()) if (asking.size >= MAX_ASKING) asking.delete(oldest);
    asking.set(task.taskId, "open");
    void outcomeOf(task).then((outcome) => {
      if (!asking.has(task.taskId)) return;
      if (outcome.kind === "result") asking.set(task.taskId, outcome);
      else asking.delete(task.taskId); // refused or cut: opened again when the server still asks
    });
  }

  async function ended(task: TaskHandle, signal: StopSignal | undefined): Promise<TaskReport> {
    const early = asking.get(task.taskId);
    const outcome = early === undefined || early === "open" ? await outcomeOf(task, signal) : early;
    if (outcome.kind === "lost" || outcome.kind === "not_sent") return { kind: "failed", reason: outcome.reason };
    asking.delete(task.taskId);
    return { kind: "ended", outcome };
  }

  return {
    async report(task, signal) {
      const state = await ask("tasks/get", task, signal);
      if (state.kind !== "result") {
        const report = notLearnt(state);
        if (report.kind === "unknown") asking.delete(task.taskId);
        return report;
      }
      if (isOther(state.result, task)) return ANOTHER;
      switch (state.result["status"]) {
        case "input_required":
          letItAsk(task);
          return { kind: "working", ...pollIntervalIn(state.result) };
        case "working":
          return { kind: "working", ...pollIntervalIn(state.result) };
        case "completed":
        case "failed":
          return ended(task, signal);
        case "cancelled":
          asking.delete(task.taskId);
          return { kind: "cancelled" };
        default:
          return { kind: "failed", reason: "The server gives its task a status that is not known here." };
      }
    },
    answer: async () => ({ kind: "not_sent", reason: "an older server asks on its connection, and is answered there" }),
    cancel: (task, signal) => ask("tasks/cancel", task, signal),
  };
}

/** Without the server's own name for the task: whoever gets the result knows another. */
function withoutTask(outcome: CallOutcome): CallOutcome {
  if (outcome.kind !== "result" || !isObject(outcome.result["_meta"])) return outcome;
  const { _meta, ...rest } = outcome.result;
  const { [RELATED_TASK_META_KEY]: _, ...own } = outcome.result["_meta"];
  return { kind: "result", result: Object.keys(own).length > 0 ? { ...rest, _meta: own } : rest };
}
