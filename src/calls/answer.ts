/** The end of a call as MCP and REST tell it. */
import { decisionText, pendingText } from "./approval-words.ts";
import { type CallError, describeFailure } from "./failure.ts";
import { noticeTexts, twinText } from "./notices.ts";
import type { CallEnd, ToolResult } from "./open-calls.ts";
import type { CallViews } from "./views.ts";

export interface Answer {
  /** Of the tool itself; without it `error` is given. */
  readonly result?: ToolResult;
  readonly error?: CallError;
  /** HTTP status of the error. */
  readonly status?: number;
  /** Text blocks that stand in front, never inside the tool's own. */
  readonly notices: readonly string[];
}

const SERVER_WORDS = 500;

export function answerOf(end: CallEnd, name: string, views: CallViews): Answer {
  const twin = end.code !== "in_doubt" && end.twin !== undefined ? twinText(end.twin, views) : [];
  const notices = end.notices.length > 0 || twin.length > 0 ? [...noticeTexts(end.notices, views), ...twin] : [];
  if (end.code === undefined && end.result) return { result: end.result, notices };
  const error = describeFailure(end.code === undefined ? { ...end, code: "internal" } : end, name);
  const decided = peopleText(end, name, views);
  if (decided !== undefined) return { status: HTTP_STATUS[error.code], error: { ...error, message: decided }, notices };
  const words = wordsOf(end.result);
  const told =
    end.code === "in_doubt" && end.twin !== undefined ? `${error.message} Its arguments: ${argumentsText(end.twin, views)}` : error.message;
  const status = end.rule === "idempotency-key-reused" ? 422 : HTTP_STATUS[error.code];
  const message = [
    words === "" ? told : `${told} The server says: ${words}`,
    ...ourWordsOf(end.result),
    ...(end.note ? [end.note] : []),
  ].join("\n");
  return { status, error: { ...error, message }, notices };
}

/** Of a call that people decide on. */
function peopleText({ approval, code, expiresAt }: CallEnd, name: string, views: CallViews): string | undefined {
  if (approval === undefined) return undefined;
  if (code === "approval_pending") return pendingText(name, approval, expiresAt);
  const view = code === "approval_denied" ? views.approval(approval) : undefined;
  return view && decisionText(view);
}

const argumentsText = (call: string, views: CallViews): string => JSON.stringify(views.argumentsOf(call) ?? {}).slice(0, SERVER_WORDS);

/** What the server itself said when it would not take the call, scrubbed already. */
function wordsOf(result: ToolResult | undefined): string {
  const content = result?.["content"];
  const first: unknown = Array.isArray(content) ? content[0]?.text : undefined;
  return typeof first === "string" ? first.slice(0, SERVER_WORDS) : "";
}

/** What we had to add: a server's refusal is one block, ours stand behind it. */
const ourWordsOf = (result: ToolResult | undefined): string[] =>
  Array.isArray(result?.["content"]) ? result["content"].slice(1).map(({ text }: { text: string }) => text) : [];

const block = (text: string) => ({ type: "text", text });

/** A `CallToolResult`. */
export function toToolResult({ result, error, notices }: Answer): ToolResult {
  if (error) {
    const { message, ...structured } = error;
    return { content: [...notices, message].map(block), structuredContent: { error: structured }, isError: true };
  }
  const own = result ?? { content: [] };
  if (notices.length === 0) return own;
  const content = Array.isArray(own["content"]) ? own["content"] : [];
  return { ...own, content: [...notices.map(block), ...content] };
}

const HTTP_STATUS: Readonly<Record<CallError["code"], number>> = {
  invalid_arguments: 400,
  auth_required: 401,
  refused: 403,
  approval_denied: 403,
  tool_not_found: 404,
  in_doubt: 409,
  rate_limited: 429,
  approval_pending: 202,
  cancelled: 499,
  internal: 500,
  execution_failed: 502,
  not_connected: 502,
  overloaded: 503,
  timeout: 504,
};
