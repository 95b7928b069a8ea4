/** Calls that a person has to decide on: what was asked of whom, what was said, and the one use that an approval allows. */
import { z } from "zod";
import { defineEvent, type EventOf } from "./define.ts";
import { Denial } from "./limits.ts";
import { Risk, Verdict } from "./policy.ts";

/** `revise`: not like this, with words for the agent. */
export const Vote = z.enum(["approve", "deny", "revise"]);
export type Vote = z.output<typeof Vote>;

/** `expired`: nobody decided in time, which is never an approval and never a denial. */
export const ApprovalOutcome = z.enum(["approved", "denied", "revised", "expired", "cancelled"]);
export type ApprovalOutcome = z.output<typeof ApprovalOutcome>;

/** Where a vote came in. */
export const Channel = z.enum(["rest", "cli", "client"]);
export type Channel = z.output<typeof Channel>;

/** People are asked, once, for every reason there is. Payload: the redacted arguments. */
export const ApprovalRequested = defineEvent(
  "approval.requested",
  z.strictObject({
    /** Unguessable. */
    id: z.string(),
    /** The first call that asks for it; identical ones join. */
    call: z.string(),
    name: z.string(),
    server: z.string(),
    tool: z.string(),
    /** Of a tool with several operations, as the call says it. */
    operation: z.string().optional(),
    /** Of the server's incarnation: an approval is not for another one of the same name. */
    serverId: z.string(),
    /** Of the arguments. */
    digest: z.string(),
    /** What the gates said that want a person. */
    reasons: z.array(Verdict),
    risk: Risk,
    strategy: z.enum(["any", "all", "quorum"]),
    /** One entry a seat: `operator` (whoever may decide), `client` (the requesting client's own person), or an operator's name. */
    seats: z.array(z.string()),
    /** So many of the seats have to approve. */
    needed: z.int(),
    createdAt: z.int(),
    expiresAt: z.int(),
    /** How long the approval can be used once it is given. */
    grantTtlMs: z.int(),
    /** Counts approved calls of this tool that failed in a row, from 1. */
    attempt: z.int(),
    /** The failed call before this one, and its error code or `tool_error`. */
    prior: z.strictObject({ call: z.string(), failure: z.string() }).optional(),
    /** Counts what was sent back for revision, from 1. */
    round: z.int(),
    maxRounds: z.int(),
  }),
);

/** One person's word; final for that person. Payload: the reason, and instructions for the agent. */
export const ApprovalDecided = defineEvent(
  "approval.decided",
  z.strictObject({ id: z.string(), by: z.string(), seat: z.string(), channel: Channel, verdict: Vote }),
);

/** The end of an approval. `by`: who cancelled it. Payload: the redacted arguments, where the call is decided inside the turn that approves it. */
export const ApprovalResolved = defineEvent(
  "approval.resolved",
  z.strictObject({
    id: z.string(),
    outcome: ApprovalOutcome,
    by: z.string().optional(),
    /** What people said is kept for the identical call until then, when no request waited for it. */
    until: z.int().optional(),
    /** A person said no: it counts against the tool. */
    denial: Denial.optional(),
  }),
);

/** The identical call may be made once, until it expires. */
export const GrantIssued = defineEvent(
  "grant.issued",
  z.strictObject({
    approval: z.string(),
    name: z.string(),
    serverId: z.string(),
    digest: z.string(),
    /** The reasons it covers, as the gates name them; any other one is asked about anew. */
    rules: z.array(z.string()),
    issuedAt: z.int(),
    expiresAt: z.int(),
  }),
);
/** `deadline`: earlier calls of its session come first, and it waits for them until then. */
export const GrantConsumed = defineEvent(
  "grant.consumed",
  z.strictObject({ approval: z.string(), call: z.string(), deadline: z.int().optional() }),
);

export const approvalEvents = [ApprovalRequested, ApprovalDecided, ApprovalResolved, GrantIssued, GrantConsumed] as const;
export type ApprovalEvent = EventOf<(typeof approvalEvents)[number]>;
