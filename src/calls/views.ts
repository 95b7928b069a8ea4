/** What doors, tools and notices read about calls: durable rows only. */
import type { Capability, Certainty, ErrorCode } from "../../events/call.ts";
import type { ApprovalViews } from "./approval-views.ts";
import type { ConversationViews } from "./conversation.ts";
import type { EarlierCall } from "./enrich.ts";
import type { CallEnd, ToolResult } from "./open-calls.ts";
import type { QuestionViews } from "./question-views.ts";
import type { TaskViews } from "./task-views.ts";

export interface CallRow {
  readonly call: string;
  /** `s_…` */
  readonly session: string;
  readonly agent: string;
  /** As published. */
  readonly name: string;
  readonly server: string | null;
  readonly tool: string | null;
  readonly capability: Capability | null;
  readonly status: "requested" | "checking" | "asking" | "queued" | "in_flight" | "waiting" | "ended";
  readonly certainty: Certainty | null;
  readonly code: ErrorCode | null;
  /** Milliseconds since the epoch. */
  readonly requestedAt: number;
  readonly endedAt: number | null;
  readonly keyDigest: string | null;
}

export interface DoubtRow {
  readonly call: string;
  /** `s_…` */
  readonly session: string;
  /** As the agent names it. */
  readonly sessionName: string;
  readonly agent: string;
  readonly server: string;
  readonly tool: string;
  /** Of its arguments. */
  readonly digest: string;
  readonly since: number;
  readonly code: ErrorCode;
  readonly resolvedAt: number | null;
  readonly outcome: "answered" | "applied" | "not_applied" | null;
  readonly by: string | null;
}

export interface CallViews extends ApprovalViews, ConversationViews, QuestionViews, TaskViews {
  call(id: string): CallRow | undefined;
  /** Of a session, by its id; the id itself while it has none. */
  sessionName(session: string): string;
  /** Whether it is of `session` or inherited by it, for what many sessions have: each is looked up once. */
  heldBy(session: string): (of: string) => boolean;
  /** Whether `session` is that of the call, or inherited what it had not announced, at any remove. */
  belongsTo(row: Pick<CallRow, "session">, session: string): boolean;
  /** Not ended yet, newest last; those that the session has inherited among them. */
  openCalls(session: string): readonly CallRow[];
  /** The newest call of this agent under this idempotency key that was sent and may have acted, not older than `since`. */
  byKey(agent: string, key: string, since: number): CallRow | undefined;
  /** The session's newest calls of downstream servers that were answered without an error after `since`, newest first. */
  answered(session: string, since: number): Iterable<EarlierCall>;
  doubt(call: string): DoubtRow | undefined;
  /** Unresolved, or resolved after `since`, oldest first. */
  recentDoubts(since: number): readonly DoubtRow[];
  /** Unresolved, of one agent or of all, oldest first. */
  doubts(agent?: string): readonly DoubtRow[];
  /** The redacted arguments, unless erased. */
  argumentsOf(call: string): unknown;
  /** How it ended, in the words of then; undefined while it is open. */
  endOf(call: string): Omit<CallEnd, "notices" | "result"> | undefined;
  /** The scrubbed result, also one that came late, unless erased. */
  resultOf(call: string): ToolResult | undefined;
}
