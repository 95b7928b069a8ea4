/** The end of a call as a client learns it that asked for a prompt or a resource as MCP has them: the server's own result, or a JSON-RPC error. */
import type { ErrorCode } from "../../events/call.ts";
import { describeFailure } from "./failure.ts";
import type { CallEnd, RpcError, ToolResult } from "./open-calls.ts";

export interface Failed {
  readonly ok: false;
  readonly error: RpcError;
}
export type NativeAnswer = { readonly ok: true; readonly result: ToolResult } | Failed;

const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
/** What was asked for is not there, or not for this session, or not in this way: all the same to a client. */
const ASKED_WRONGLY = new Set<ErrorCode>(["tool_not_found", "invalid_arguments", "refused"]);

const failed = (code: number, message: string, data?: unknown): Failed => ({
  ok: false,
  error: { code, message, ...(data !== undefined && { data }) },
});
/** A reason in our words as a sentence of its own. */
const sentence = (words: string): string => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;

export const notThere = (reason: string, about: Readonly<Record<string, unknown>> = {}): Failed =>
  failed(INVALID_PARAMS, sentence(reason), { code: "tool_not_found", ...about });

/** `key` is what every such result has, unless it is a question to the client: a list of messages or of contents. */
export function nativeAnswerOf(end: CallEnd, name: string, key: "messages" | "contents"): NativeAnswer {
  if (end.rpcError) return { ok: false, error: end.rpcError };
  const { message, ...data } = describeFailure(end, name);
  if (end.code !== undefined && ASKED_WRONGLY.has(end.code) && end.reason !== undefined)
    return failed(INVALID_PARAMS, sentence(end.reason), data);
  if (end.code !== undefined || !end.result) return failed(INTERNAL_ERROR, message, data);
  const isQuestion = end.result["resultType"] === "input_required";
  if (isQuestion || Array.isArray(end.result[key])) return { ok: true, result: end.result };
  return failed(INTERNAL_ERROR, `The server's answer cannot be passed on: it has no list "${key}", or is too large.`, {
    ...data,
    code: "execution_failed",
  });
}
