/** A `tools/call` as the edge reads it from a parsed message, and why its arguments may be refused before anybody acts on them. */

import { brokenBound, findUnsafeInteger, INPUT_LIMITS } from "../../observe/bounds.ts";
import { DEPTH_META } from "../../observe/hook-depth.ts";
import type { ToolResult } from "./backend.ts";
import { isObject, isRequestId, type JsonObject } from "./json.ts";
import type { RequestId } from "./rpc.ts";

/** A call with nothing special about it: no progress, no retry material, no field that we do not know. */
export interface PlainCall {
  readonly id: RequestId;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly meta: JsonObject | undefined;
}

const NO_ARGUMENTS: JsonObject = {};

/** The call that a message is, if it is a `tools/call` of plain shape. Whatever is odd is left to the SDK, which answers it as it always did. */
export function plainCallOf(message: unknown): PlainCall | undefined {
  if (!isObject(message) || message["method"] !== "tools/call" || message["jsonrpc"] !== "2.0") return undefined;
  const { id, params } = message;
  if (!isRequestId(id) || !isObject(params) || !hasOnly(message, MESSAGE_KEYS) || !hasOnly(params, PARAMS_KEYS)) return undefined;
  const { name, arguments: args = NO_ARGUMENTS, _meta: meta } = params;
  if (typeof name !== "string" || !isObject(args)) return undefined;
  if (meta === undefined) return { id, name, arguments: args, meta: undefined };
  if (!isObject(meta) || "progressToken" in meta || "io.modelcontextprotocol/related-task" in meta) return undefined;
  return { id, name, arguments: args, meta };
}

const MESSAGE_KEYS = new Set(["jsonrpc", "id", "method", "params"]);
const PARAMS_KEYS = new Set(["name", "arguments", "_meta"]);

function hasOnly(value: JsonObject, keys: ReadonlySet<string>): boolean {
  for (const key in value) if (!keys.has(key)) return false;
  return true;
}

/** Why a call is refused at the door: as a JSON-RPC error (-32602), or as a tool result. */
export type Refusal =
  | { readonly kind: "invalid_params"; readonly message: string }
  | { readonly kind: "result"; readonly message: string; readonly result: ToolResult };

/** Calls, and whatever brings answers of a person. */
export function mayBeRefused(message: JsonObject): message is JsonObject & { readonly params: JsonObject } {
  const { method, params } = message;
  return isObject(params) && (method === "tools/call" || "inputResponses" in params);
}

/** Looks at the arguments, answers and `_meta` of such a request. `text` is what the message was parsed from. */
export function refusalOf(params: JsonObject, text: string): Refusal | undefined {
  if ("inputResponses" in params && !isObject(params["inputResponses"]))
    return { kind: "invalid_params", message: "Invalid params: inputResponses is an object with an answer for each key of inputRequests" };
  const broken = brokenBound(params["arguments"]) ?? brokenBound(params["inputResponses"]) ?? brokenBound(params["_meta"]);
  if (broken !== undefined) {
    const bound =
      broken === "depth" ? `are nested deeper than ${INPUT_LIMITS.depth} levels` : `hold more than ${INPUT_LIMITS.elements} elements`;
    return { kind: "invalid_params", message: `Invalid params: the tool's arguments ${bound}; send less, or pass a reference to the data` };
  }
  const literal = findUnsafeInteger(text);
  return literal === undefined ? undefined : unsafeInteger(literal);
}

function unsafeInteger(literal: string): Refusal {
  const shown = literal.length > 40 ? `${literal.slice(0, 40)}…` : literal;
  const message = `The arguments hold the number ${shown}, which JSON parsers would alter silently. Nothing was done: send it as a string.`;
  const error = { code: "invalid_arguments", message, certainty: "not_applied", retryable: false };
  return { kind: "result", message, result: { content: [{ type: "text", text: message }], structuredContent: { error }, isError: true } };
}

const CALLING = new Set<unknown>(["tools/call", "prompts/get", "resources/read"]);

/** Says of a call which hook it comes from, whatever it says itself: `led` is what its connection, or its request, brought. It was just parsed, and is changed. */
export function markLed(message: unknown, led: string | undefined): void {
  if (led === undefined || !isObject(message) || !CALLING.has(message["method"]) || !isObject(message["params"])) return;
  const params = message["params"] as { _meta?: unknown };
  params._meta = { ...(isObject(params._meta) ? params._meta : {}), [DEPTH_META]: led };
}

/** Carries a refusal through the SDK, which would lose it otherwise. A client that sends the key itself only refuses its own call. */
const REFUSAL = "toolcrib/refused";

/** Leaves the refusal in `_meta` and takes the arguments away. The message is ours: it was just parsed. */
export function markRefused(message: JsonObject, refusal: Refusal): JsonObject {
  const params = isObject(message["params"]) ? message["params"] : {};
  const meta = isObject(params["_meta"]) ? params["_meta"] : {};
  const { inputResponses: _, ...rest } = params;
  return { ...message, params: { ...rest, arguments: {}, _meta: { ...meta, [REFUSAL]: refusal } } };
}

/** The refusal that `markRefused` left. */
export function markedRefusal(meta: JsonObject | undefined): Refusal | undefined {
  const refusal = meta?.[REFUSAL];
  if (!isObject(refusal)) return undefined;
  const message = String(refusal["message"]);
  if (refusal["kind"] === "result" && isObject(refusal["result"])) return { kind: "result", message, result: refusal["result"] };
  return { kind: "invalid_params", message };
}
