/** The life of one tool call, as facts of the session that asked, and of the server that acted. */
import { z } from "zod";
import { defineEvent, type EventOf } from "./define.ts";
import { Delivery, Via } from "./delivery.ts";
import { Counted, Denial } from "./limits.ts";
import { judgedAgain, judgedIn, Verdict } from "./policy.ts";
import { unsent, waits, waitsFor } from "./waits.ts";

/** What a call may do to the world. Whatever is not declared by the operator is `mutating`. */
export const Capability = z.enum(["read", "idempotent", "mutating"]);
export type Capability = z.output<typeof Capability>;

/** How sure we are about a call: the tool answered (also with an error of its own), nothing was done, or nobody can tell. */
export const Certainty = z.enum(["answered", "not_applied", "in_doubt"]);
export type Certainty = z.output<typeof Certainty>;

/** The same word on the wire, in the log and in metrics. */
export const ErrorCode = z.enum([
  "tool_not_found",
  "invalid_arguments",
  "refused",
  "rate_limited",
  "approval_pending",
  "approval_denied",
  "in_doubt",
  "timeout",
  "not_connected",
  "overloaded",
  "cancelled",
  "auth_required",
  "execution_failed",
  "internal",
]);
export type ErrorCode = z.output<typeof ErrorCode>;

/** An agent asked for a tool and may have it; `rule` says why. Payload: the redacted arguments. */
export const CallRequested = defineEvent(
  "call.requested",
  z.strictObject({
    call: z.string(),
    name: z.string(),
    server: z.string(),
    tool: z.string(),
    capability: Capability,
    digest: z.string(),
    rule: z.string(),
    timeoutMs: z.int(),
    via: Via.optional(),
    native: z.literal(true).optional(), // a prompt or resource as MCP has it: the server's own answer, without room for notices
    key: z.string().optional(), // keyed digest of the idempotency key
    keyDigest: z.string().optional(),
    deliver: Delivery.optional(),
    /** It was not in the session's list and joins it, with its definition as it is now; `drops` had to go. */
    activates: z.strictObject({ hash: z.string(), drops: z.array(z.string()).optional() }).optional(),
    /** What the gates said, where they said something. */
    verdicts: z.array(Verdict).optional(),
    taints: z.array(z.enum(["untrusted", "private"])).optional(), // what the session will have read with it
    counted: Counted.optional(),
    ...judgedAgain,
    ...waits,
  }),
  { hot: true },
);

/** An agent asked for a tool and may not have it. Final: nothing was sent. Payload: the redacted arguments, and the reason in words. */
export const CallRefused = defineEvent(
  "call.refused",
  z.strictObject({
    call: z.string(),
    name: z.string(),
    code: ErrorCode,
    rule: z.string(),
    via: Via.optional(),
    verdicts: z.array(Verdict).optional(),
    retryAfterMs: z.int().optional(),
    denial: Denial.optional(),
    approval: z.string().optional(), // in which people said no to the identical call
  }),
);

const Flight = z.strictObject({
  call: z.string(),
  session: z.string(),
  agent: z.string(),
  tool: z.string(),
  capability: Capability,
  digest: z.string(),
  deadline: z.int(),
  /** A call in doubt with the same server, tool and arguments that this one was let past. */
  twin: z.string().optional(),
});
export type Flight = z.output<typeof Flight>;

/** The intent. Durable before the first byte leaves for the server. */
export const CallDispatched = defineEvent(
  "call.dispatched",
  Flight.extend({ queued: z.literal(true).optional(), deliver: Delivery.optional() }),
  { hot: true },
);

/** No slot is free, or the server is being connected: the call waits for its turn. */
const covered = z.array(z.string()).optional(); // people have approved it for these rules
const queueing = { name: z.string(), reason: z.enum(["slots", "connecting"]), covered, ...judgedIn };
export const CallQueued = defineEvent("call.queued", Flight.extend(queueing));

/** The server will not take the call. Nothing was sent. */
export const CallRejected = defineEvent(
  "call.rejected",
  z.strictObject({
    call: z.string(),
    session: z.string(),
    code: ErrorCode,
    twin: z.string().optional(),
    since: z.int().optional(),
    reason: z.string().optional(),
    rule: z.string().optional(), // of the policy
  }),
);

/** Somebody wants a running call to stop. What it has done by then is told by its outcome. */
export const CallCancelling = defineEvent("call.cancelling", z.strictObject({ call: z.string(), by: z.string() }));

/** The outcome. A dispatched call without one was interrupted. Payload: the scrubbed result. */
export const CallSettled = defineEvent(
  "call.settled",
  z.strictObject({
    call: z.string(),
    session: z.string(),
    capability: Capability,
    certainty: Certainty,
    code: ErrorCode.optional(),
    isError: z.boolean().optional(),
    twin: z.string().optional(),
    reason: z.string().optional(),
    /** In doubt since. */
    since: z.int().optional(),
    /** Keyed digest of the result, where the profile looks for circles. */
    resultDigest: z.string().optional(),
    /** It went on as this task, which ended so. */
    task: z.strictObject({ id: z.string(), status: z.enum(["completed", "failed", "cancelled", "lost"]) }).optional(),
  }),
  { hot: true },
);

/** Evidence that came later: a late answer, a repeat that was answered, somebody's word. Only ever ends a doubt. Payload: a note or a late result. */
export const CallResolved = defineEvent(
  "call.resolved",
  z.strictObject({
    call: z.string(),
    session: z.string(),
    outcome: z.enum(["answered", "applied", "not_applied"]),
    by: z.string(),
  }),
);

/** The end of a call that was admitted. Durable before the agent can see it. `notices` names the earlier outcomes told with it. */
export const CallAnswered = defineEvent(
  "call.answered",
  z.strictObject({
    call: z.string(),
    certainty: Certainty,
    code: ErrorCode.optional(),
    isError: z.boolean().optional(),
    notices: z.array(z.string()).optional(),
    /** Nobody waited for it any more: it is to be announced. */
    unclaimed: z.literal(true).optional(),
    twin: z.string().optional(),
    since: z.int().optional(),
    reason: z.string().optional(),
    resultDigest: z.string().optional(),
    /** A person said no. */
    denial: Denial.optional(),
    /** Its client follows it as this task. */
    task: z.string().optional(),
    ...unsent,
  }),
  { hot: true },
);

/** Nobody waits for this call's outcome any more, or it was learnt too late: it is announced with the session's next result. */
export const CallUnclaimed = defineEvent("call.unclaimed", z.strictObject({ call: z.string(), cancel: z.boolean(), ...waitsFor }));

export const callEvents = [
  CallRequested,
  CallRefused,
  CallDispatched,
  CallQueued,
  CallRejected,
  CallCancelling,
  CallSettled,
  CallResolved,
  CallAnswered,
  CallUnclaimed,
] as const;

export type ServerCallEvent = EventOf<
  typeof CallDispatched | typeof CallQueued | typeof CallRejected | typeof CallCancelling | typeof CallSettled | typeof CallResolved
>;
export type SessionCallEvent = EventOf<typeof CallRequested | typeof CallRefused | typeof CallAnswered | typeof CallUnclaimed>;
