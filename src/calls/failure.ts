/** Our own verdicts as agents read them: one error object, one sentence that says what to do next. */
import type { Certainty, ErrorCode } from "../../events/call.ts";
import type { CallEnd } from "./open-calls.ts";

/** The error object of both doors (interfaces: error codes). */
export interface CallError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly certainty: Certainty;
  /** True only where repeating cannot do harm. */
  readonly retryable: boolean;
  readonly callId?: string;
  readonly retryAfterMs?: number;
  readonly approvalId?: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
}

/** Nothing was done, and the same call may well go through later. */
const TRANSIENT = new Set<ErrorCode>(["not_connected", "overloaded", "timeout", "rate_limited", "cancelled", "execution_failed"]);

const RETRY_AFTER_MS = 1000;

const ADVICE: Readonly<Record<ErrorCode, string>> = {
  tool_not_found: "List the tools to see what is offered.",
  invalid_arguments: "Correct the arguments and call again.",
  refused: "Do not repeat it; ask the person you work for if it is needed.",
  rate_limited: "Wait before the next call.",
  approval_pending: "Wait for the decision, then make the identical call again.",
  approval_denied: "Do not repeat it.",
  in_doubt: "It may have been carried out. Verify before repeating, then settle it with resolve_call.",
  timeout: "Nothing was done; it can be called again.",
  not_connected: "Nothing was sent; try again later.",
  overloaded: "Nothing was sent; try again a little later.",
  cancelled: "Nothing was done.",
  auth_required: "The operator has to log in to this server.",
  execution_failed: "Nothing was done; it can be called again.",
  internal: "This is a defect of toolcrib, not of the call. Nothing was done.",
};
/** A reason that says no more than the headline. */
const SAID_ALREADY = "no such tool is offered here";
const DOUBTFUL = "It may have been carried out. Verify before repeating, then settle it with resolve_call.";

const HEADLINE: Readonly<Record<ErrorCode, string>> = {
  tool_not_found: "There is no such tool here.",
  invalid_arguments: "The arguments cannot be accepted.",
  refused: "This call may not be made.",
  rate_limited: "Too many calls.",
  approval_pending: "This call waits for an approval.",
  approval_denied: "The approval was denied.",
  in_doubt: "This call is in doubt.",
  timeout: "No answer came in time.",
  not_connected: "The server cannot be reached.",
  overloaded: "The server has no room for another call.",
  cancelled: "The call was cancelled.",
  auth_required: "The server asks for authorisation.",
  execution_failed: "The call failed.",
  internal: "Something went wrong inside toolcrib.",
};

/** `when` is ISO time, `name` the tool as the agent knows it. */
export function describeFailure(end: CallEnd, name: string): CallError {
  const code = end.code ?? "internal";
  const isDoubtful = end.certainty === "in_doubt";
  const callId = code === "in_doubt" && end.twin !== undefined ? end.twin : end.call;
  const detail = end.reason && end.reason !== SAID_ALREADY ? ` (${end.reason})` : "";
  const message =
    code === "in_doubt" && end.twin !== undefined
      ? twinText(name, end.twin, end.since)
      : `${HEADLINE[code]}${detail} ${isDoubtful ? DOUBTFUL : ADVICE[code]}`;
  return {
    code,
    message,
    certainty: end.certainty,
    retryable: end.certainty === "not_applied" && TRANSIENT.has(code),
    ...(callId !== "" && { callId }),
    ...(code === "overloaded" || code === "rate_limited" ? { retryAfterMs: end.retryAfterMs ?? RETRY_AFTER_MS } : {}),
    ...(end.approval !== undefined && { approvalId: end.approval }),
    ...(end.expiresAt !== undefined && { expiresAt: end.expiresAt }),
  };
}

const twinText = (name: string, twin: string, since: number | undefined): string =>
  `The same call of ${name} is in doubt${since === undefined ? "" : ` since ${new Date(since).toISOString()}`} (${twin}): it was sent and no answer came, so it may have been carried out. ` +
  `Look whether it was, then say so with resolve_call {"call":"${twin}","outcome":"applied"|"not_applied"}; after that this call can go out again.`;
