/** Reads the answers that do not end a call: the server asks first, or goes on in the background. */
import { answered, INTERNAL_ERROR } from "./call-outcome.ts";
import type { CallOutcome, CallReply, InputRequest, TaskHandle } from "./downstream.ts";
import { isObject } from "./json.ts";

/** What a request may be answered with besides its result, as it was announced to the server. */
export interface Awaited {
  readonly questions?: boolean;
  readonly tasks?: boolean;
}

type Json = Readonly<Record<string, unknown>>;
type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: string; readonly limit?: string };

/** Of a server's own name for a task. */
const MAX_TASK_ID_BYTES = 512;
const TASK_ID_LIMIT = "task-id-bytes";

/** What a JSON-RPC response with the right id says of a call. Whatever was not announced is no lawful answer, and so an error. */
export function replied(message: Json, era: "legacy" | "modern", { questions, tasks }: Awaited): CallReply {
  const { result, error } = message;
  if (isObject(error) || !isObject(result)) return answered(message, era);
  const type = result["resultType"];
  if (era === "modern" && questions && type === "input_required") return questionsIn(result);
  if (era === "modern" && tasks && type === "task") return taskIn(result, era);
  if (era === "legacy" && tasks && isObject(result["task"])) return taskIn(result["task"], era);
  return answered(message, era);
}

function questionsIn({ inputRequests, requestState }: Json): CallReply {
  if (inputRequests === undefined && requestState === undefined) return malformed("asks for nothing");
  if (requestState !== undefined && typeof requestState !== "string") return malformed("asks with a requestState that is no text");
  const requests = inputRequestsIn(inputRequests ?? {});
  if (!requests.ok) return malformed(`asks, but ${requests.fault}`);
  return { kind: "input_required", requests: requests.value, ...(requestState !== undefined && { requestState }) };
}

/** A map of requests, each by its key. */
export function inputRequestsIn(map: unknown): Read<Readonly<Record<string, InputRequest>>> {
  if (!isObject(map)) return { ok: false, fault: "its inputRequests are no object" };
  const entries: [string, InputRequest][] = [];
  for (const [key, request] of Object.entries(map)) {
    const { method, params = {} } = isObject(request) ? request : {};
    if (typeof method !== "string" || !isObject(params)) return { ok: false, fault: "one of its inputRequests is no request" };
    entries.push([key, { method, params }]);
  }
  return { ok: true, value: Object.fromEntries(entries) };
}

function taskIn(handle: Json, era: TaskHandle["era"]): CallReply {
  const { taskId } = handle;
  if (typeof taskId !== "string" || taskId === "") return malformed("started a task without an id");
  if (Buffer.byteLength(taskId) > MAX_TASK_ID_BYTES)
    return malformed(`started a task whose id is above the limit ${TASK_ID_LIMIT} (${MAX_TASK_ID_BYTES})`, TASK_ID_LIMIT);
  return { kind: "task", task: { taskId, era, ...pollIntervalIn(handle) } };
}

/** Modern servers call it `pollIntervalMs`, older ones `pollInterval`. One that is no number of milliseconds is no hint. */
export function pollIntervalIn({ pollIntervalMs, pollInterval }: Json): { readonly pollIntervalMs?: number } {
  const hint = pollIntervalMs ?? pollInterval;
  return typeof hint === "number" && Number.isFinite(hint) && hint >= 0 ? { pollIntervalMs: hint } : {};
}

const malformed = (what: string, limit?: string): CallOutcome => ({
  kind: "rpc_error",
  code: INTERNAL_ERROR,
  message: `The server ${what}: nothing can be done with this answer. Nothing more was sent to it.`,
  ...(limit !== undefined && { data: { limit } }),
});
