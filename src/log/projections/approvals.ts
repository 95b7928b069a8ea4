/** Calls that people decide on: one row an approval, one a vote. Stands after `calls`, whose fixed columns it copies. */
import type { ApprovalDecided, ApprovalRequested, ApprovalResolved, GrantConsumed, GrantIssued } from "../../../events/approval.ts";
import type { EventOf } from "../../../events/define.ts";
import type { Apply, Projection } from "../projection.ts";
import { sessionId } from "./session-id.ts";

/** A row of `approvals`. Times are milliseconds since the epoch; `reasons`, `seats` and `prior` are JSON. */
export interface ApprovalRow {
  readonly id: string;
  readonly session: string;
  readonly agent: string | null;
  readonly call: string;
  readonly name: string;
  readonly server: string;
  readonly tool: string;
  readonly reasons: string;
  readonly risk: string;
  readonly strategy: string;
  readonly seats: string;
  readonly needed: number;
  readonly status: "pending" | "approved" | "denied" | "revised" | "expired" | "cancelled";
  readonly created_at: number;
  readonly expires_at: number;
  readonly resolved_at: number | null;
  readonly attempt: number;
  readonly prior: string | null;
  readonly round: number;
  /** Of the event whose payload holds the arguments. */
  readonly position: number;
  readonly grant_expires_at: number | null;
  /** The call that used it. */
  readonly used_by: string | null;
}

const requested: Apply = (tx, event) => {
  const approval = event.data as EventOf<typeof ApprovalRequested>["data"];
  const session = sessionId(event.stream);
  tx.run(
    `insert into approvals (id, session, agent, call, name, server, tool, reasons, risk, strategy, seats, needed, status, created_at, expires_at, attempt, prior, round, position)
     values (?, ?, (select agent from call_agents where session = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?)`,
    approval.id,
    session,
    session,
    approval.call,
    approval.name,
    approval.server,
    approval.tool,
    JSON.stringify(approval.reasons),
    approval.risk,
    approval.strategy,
    JSON.stringify(approval.seats),
    approval.needed,
    approval.createdAt,
    approval.expiresAt,
    approval.attempt,
    approval.prior === undefined ? null : JSON.stringify(approval.prior),
    approval.round,
    event.position,
  );
};

const decided: Apply = (tx, { at, position, data }) => {
  const { id, by, seat, channel, verdict } = data as EventOf<typeof ApprovalDecided>["data"];
  tx.run(
    "insert into approval_votes (approval, by, seat, channel, verdict, at, position) values (?, ?, ?, ?, ?, ?, ?)",
    id,
    by,
    seat,
    channel,
    verdict,
    at,
    position,
  );
};

const resolved: Apply = (tx, { at, data }) => {
  const { id, outcome } = data as EventOf<typeof ApprovalResolved>["data"];
  tx.run("update approvals set status = ?, resolved_at = ? where id = ?", outcome, at, id);
};

const issued: Apply = (tx, { data }) => {
  const { approval, expiresAt } = data as EventOf<typeof GrantIssued>["data"];
  tx.run("update approvals set grant_expires_at = ? where id = ?", expiresAt, approval);
};

const consumed: Apply = (tx, { data }) => {
  const { approval, call } = data as EventOf<typeof GrantConsumed>["data"];
  tx.run("update approvals set used_by = ? where id = ?", call, approval);
};

export const approvals: Projection = {
  name: "approvals",
  version: 1,
  tables: `
    create table approvals (
      id text primary key, session text not null, agent text, call text not null, name text not null, server text not null, tool text not null,
      reasons text not null, risk text not null, strategy text not null, seats text not null, needed integer not null, status text not null,
      created_at integer not null, expires_at integer not null, resolved_at integer, attempt integer not null, prior text, round integer not null,
      position integer not null, grant_expires_at integer, used_by text
    ) strict, without rowid;
    create index approvals_by_position on approvals (position);
    create table approval_votes (
      approval text not null, by text not null, seat text not null, channel text not null, verdict text not null, at integer not null,
      position integer not null, primary key (approval, by)
    ) strict, without rowid;
  `,
  drop: ["approvals", "approval_votes"],
  on: {
    "approval.requested": requested,
    "approval.decided": decided,
    "approval.resolved": resolved,
    "grant.issued": issued,
    "grant.consumed": consumed,
  },
};
