/** Follows tasks of servers of protocol 2026-07-28 (SEP-2663). Over HTTP, the transport names the task in the `Mcp-Name` header. */
import type { StopSignal } from "../stop.ts";
import { capabilitiesFor } from "./announced.ts";
import { answered } from "./call-outcome.ts";
import type { CallOutcome, TaskHandle, TaskReport, TaskRequests } from "./downstream.ts";
import { type Awaited, inputRequestsIn, pollIntervalIn } from "./interim.ts";
import { isObject } from "./json.ts";
import type { RawCalls } from "./raw-calls.ts";

type Json = Readonly<Record<string, unknown>>;

const INVALID_PARAMS = -32602;

/** `may`: what the connection may announce; polls are nobody's call. */
export function modernTasks(calls: Pick<RawCalls, "request">, may: Awaited): TaskRequests {
  const capabilities = capabilitiesFor({ ...may, tasks: true });
  const ask = (method: string, { taskId }: TaskHandle, signal: StopSignal | undefined, more: Json = {}) =>
    calls.request({ method, params: { taskId, ...more }, capabilities, signal });
  return {
    report: async (task, signal) => reportIn(await ask("tasks/get", task, signal), task),
    answer: (task, inputResponses, signal) => ask("tasks/update", task, signal, { inputResponses }),
    cancel: (task, signal) => ask("tasks/cancel", task, signal),
  };
}

function reportIn(outcome: CallOutcome, asked: TaskHandle): TaskReport {
  if (outcome.kind !== "result") return notLearnt(outcome);
  const task = outcome.result;
  if (isOther(task, asked)) return ANOTHER;
  switch (task["status"]) {
    case "working":
      return { kind: "working", ...pollIntervalIn(task) };
    case "input_required": {
      const requests = inputRequestsIn(task["inputRequests"]);
      if (!requests.ok) return { kind: "failed", reason: `The server asks, but ${requests.fault}.` };
      return { kind: "input_required", requests: requests.value, ...pollIntervalIn(task) };
    }
    // What is inlined is an answer like any other, with or without the discriminator of one.
    case "completed":
      return { kind: "ended", outcome: answered({ result: task["result"] }, "modern") };
    case "failed":
      return { kind: "ended", outcome: answered({ error: isObject(task["error"]) ? task["error"] : {} }, "modern") };
    case "cancelled":
      return { kind: "cancelled" };
    default:
      return { kind: "failed", reason: "The server gives its task a status that is not known here." };
  }
}

export const ANOTHER: TaskReport = { kind: "failed", reason: "The server tells of another task than it was asked for." };
/** It names a task, and not this one. */
export const isOther = ({ taskId }: Json, asked: TaskHandle): boolean => taskId !== undefined && taskId !== asked.taskId;

/** What can be said of a task when asking for it failed. */
export function notLearnt(outcome: Exclude<CallOutcome, { kind: "result" }>): TaskReport {
  if (outcome.kind === "rpc_error") {
    return outcome.code === INVALID_PARAMS ? { kind: "unknown" } : { kind: "failed", reason: outcome.message };
  }
  return { kind: "failed", reason: outcome.reason };
}
