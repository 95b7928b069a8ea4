/** What doors, tools and verbs read about approvals: durable rows only, with the free values of their events. */
import type { Reader } from "../log/reader.ts";
import type { OfCall } from "./of-call.ts";

export const STATUSES = ["pending", "approved", "denied", "revised", "expired", "cancelled"] as const;
export type ApprovalStatus = (typeof STATUSES)[number];

export interface VoteView {
  readonly by: string;
  readonly seat: string;
  readonly channel: string;
  readonly verdict: string;
  readonly at: number;
  readonly reason?: string;
  readonly instructions?: string;
}
/** An approval as lists show it. Times are milliseconds since the epoch. */
export interface ApprovalView extends OfCall {
  /** Redacted; absent when they were erased. */
  readonly arguments?: unknown;
  /** What the gates said that want a person. */
  readonly reasons: readonly string[];
  readonly risk: string;
  readonly status: ApprovalStatus;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly resolvedAt?: number;
  readonly attempt: number;
  /** The approved call before this one, which failed: its code or `tool_error`, and what the tool said. */
  readonly prior?: { readonly call: string; readonly failure: string; readonly said?: string };
  readonly round: number;
  readonly strategy: string;
  readonly seats: readonly string[];
  readonly needed: number;
  readonly votes: readonly VoteView[];
  /** The approval can be used until then. */
  readonly grantExpiresAt?: number;
  /** The call that used it, and what became of that. */
  readonly execution?: { readonly callId: string; readonly status: "running" | "succeeded" | "failed"; readonly code?: string };
  readonly position: number;
}
export interface ApprovalViews {
  approval(id: string): ApprovalView | undefined;
  /** Open, or resolved after `since`, oldest first. */
  approvals(since: number): readonly ApprovalView[];
  /** After a log position, oldest first. */
  approvalPage(after: number, limit: number, status: ApprovalStatus | null): readonly ApprovalView[];
}

interface Row
  extends Omit<ApprovalView, "arguments" | "reasons" | "seats" | "prior" | "votes" | "execution" | "resolvedAt" | "grantExpiresAt"> {
  readonly reasons: string;
  readonly seats: string;
  readonly prior: string | null;
  readonly resolvedAt: number | null;
  readonly grantExpiresAt: number | null;
  readonly usedBy: string | null;
  readonly certainty: string | null;
  readonly code: string | null;
  readonly isError: number | null;
}

const ROW = `select a.id, a.call as callId, coalesce(s.name, a.session) as session, a.session as sessionId, coalesce(a.agent, '') as agent, a.server, a.tool,
  a.name, a.reasons, a.risk, a.status, a.created_at as createdAt, a.expires_at as expiresAt, a.resolved_at as resolvedAt, a.attempt, a.prior, a.round,
  a.strategy, a.seats, a.needed, a.grant_expires_at as grantExpiresAt, a.used_by as usedBy, c.certainty, c.code, c.is_error as isError, a.position
  from approvals a left join sessions s on s.id = a.session left join calls c on c.call = a.used_by`;
const VOTES = "select by, seat, channel, verdict, at, position from approval_votes where approval = ? order by position";
const SAID = 512;

export function approvalViews(log: Reader): ApprovalViews {
  const votes = (id: string): VoteView[] =>
    log.query<VoteView & { position: number }>(VOTES, id).map(({ position, ...vote }) => ({ ...vote, ...wordsIn(log.payload(position)) }));
  const view = ({ reasons, seats, prior, resolvedAt, grantExpiresAt, usedBy, certainty, code, isError, ...row }: Row): ApprovalView => {
    const args = log.payload(row.position);
    const before = prior === null ? undefined : (JSON.parse(prior) as { call: string; failure: string });
    const said = before && textOf(resultOf(log, before.call)).slice(0, SAID);
    const ended = certainty === null ? "running" : code !== null || isError === 1 ? "failed" : "succeeded";
    return {
      ...row,
      ...(args !== undefined && { arguments: args }),
      reasons: (JSON.parse(reasons) as { rule: string; reason?: string }[]).map(({ rule, reason }) =>
        reason ? `${rule}: ${reason}` : rule,
      ),
      seats: JSON.parse(seats) as string[],
      votes: votes(row.id),
      ...(before && { prior: { ...before, ...(said && { said }) } }),
      ...(resolvedAt !== null && { resolvedAt }),
      ...(grantExpiresAt !== null && { grantExpiresAt }),
      ...(usedBy !== null && {
        execution: { callId: usedBy, status: ended, ...(ended === "failed" && { code: code ?? "tool_error" }) },
      }),
    };
  };
  return {
    approval: (id) => log.query<Row>(`${ROW} where a.id = ?`, id).map(view)[0],
    approvals: (since) => log.query<Row>(`${ROW} where a.resolved_at is null or a.resolved_at > ? order by a.position`, since).map(view),
    approvalPage: (after, limit, status) =>
      log
        .query<Row>(`${ROW} where a.position > ?1 and (?2 is null or a.status = ?2) order by a.position limit ?3`, after, status, limit)
        .map(view),
  };
}

function resultOf(log: Reader, call: string): unknown {
  const position = log.query<{ at: number | null }>("select settled_position as at from calls where call = ?", call)[0]?.at ?? null;
  return position === null ? undefined : log.payload(position);
}

/** What somebody said beside the vote. */
function wordsIn(payload: unknown): { reason?: string; instructions?: string } {
  if (typeof payload !== "object" || payload === null) return {};
  const { reason, instructions } = payload as { reason?: unknown; instructions?: unknown };
  return { ...(typeof reason === "string" && { reason }), ...(typeof instructions === "string" && { instructions }) };
}

function textOf(result: unknown): string {
  const content = typeof result === "object" && result !== null && "content" in result ? result.content : undefined;
  return Array.isArray(content)
    ? content.flatMap(({ text }: { text?: unknown }) => (typeof text === "string" ? [text] : [])).join("\n")
    : "";
}
