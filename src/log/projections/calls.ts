/** One row a call: what views, idempotency and recovery look up. Written twice on the hot path, at the request and at the answer. */
import type { CallAnswered, CallDispatched, CallQueued, CallRefused, CallRequested } from "../../../events/call.ts";
import type { CheckedEvent } from "../../../events/checked.ts";
import type { EventOf } from "../../../events/define.ts";
import type { CallResumed } from "../../../events/leg.ts";
import type { SessionOpened } from "../../../events/session.ts";
import type { Apply, Projection } from "../projection.ts";
import { sessionId } from "./session-id.ts";

/** A row of `calls`. Times are milliseconds since the epoch. */
export interface CallRow {
  readonly call: string;
  readonly session: string;
  readonly agent: string | null;
  readonly name: string;
  readonly server: string | null;
  readonly tool: string | null;
  readonly capability: string | null;
  readonly digest: string | null;
  readonly status: "requested" | "checking" | "asking" | "queued" | "in_flight" | "waiting" | "ended";
  readonly certainty: string | null;
  readonly code: string | null;
  readonly is_error: number | null;
  readonly requested_at: number;
  readonly dispatched_at: number | null;
  readonly ended_at: number | null;
  readonly first_position: number;
  readonly last_position: number;
  /** Of the events whose payload holds the result, or the late one. */
  readonly settled_position: number | null;
  readonly resolved_position: number | null;
  /** Of the event whose payload holds the arguments as hooks have rewritten them. */
  readonly rewritten_position: number | null;
  readonly key: string | null;
  readonly key_digest: string | null;
}

const opened: Apply = (tx, { stream, data }) => {
  const { agent } = data as EventOf<typeof SessionOpened>["data"];
  tx.run("insert or replace into call_agents (session, agent) values (?, ?)", sessionId(stream), agent);
};

const requested: Apply = (tx, event, turn) => {
  const { call, name, server, tool, capability, digest, key, keyDigest, stage } = event.data as EventOf<typeof CallRequested>["data"];
  const session = sessionId(event.stream);
  const sent = turn.some(({ type, call: of }) => type === "call.dispatched" && of === call);
  tx.run(
    `insert into calls (call, session, agent, name, server, tool, capability, digest, status, requested_at, dispatched_at, first_position, last_position, key, key_digest)
     values (?, ?, (select agent from call_agents where session = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    call,
    session,
    session,
    name,
    server,
    tool,
    capability,
    digest,
    sent ? "in_flight" : (stage ?? "requested"),
    event.at,
    sent ? event.at : null,
    event.position,
    event.position,
    key ?? null,
    keyDigest ?? null,
  );
};

const refused: Apply = (tx, event) => {
  const { call, name, code } = event.data as EventOf<typeof CallRefused>["data"];
  const session = sessionId(event.stream);
  tx.run(
    `insert into calls (call, session, agent, name, status, certainty, code, requested_at, ended_at, first_position, last_position)
     values (?, ?, (select agent from call_agents where session = ?), ?, 'ended', 'not_applied', ?, ?, ?, ?, ?)`,
    call,
    session,
    session,
    name,
    code,
    event.at,
    event.at,
    event.position,
    event.position,
  );
};

const checked: Apply = (tx, event) => {
  const { call, digest, stage = "requested" } = event.data as CheckedEvent["data"];
  tx.run("update calls set status = ?, last_position = ? where call = ?", stage, event.position, call);
  if (digest !== undefined) tx.run("update calls set digest = ?, rewritten_position = ? where call = ?", digest, event.position, call);
};

const queued: Apply = (tx, { data }) => {
  const { call } = data as EventOf<typeof CallQueued>["data"];
  tx.run("update calls set status = 'queued' where call = ?", call);
};

const dispatched: Apply = (tx, event, turn) => {
  const { call } = event.data as EventOf<typeof CallDispatched>["data"];
  if (turn.some(({ type, call: of }) => type === "call.requested" && of === call)) return; // already in the insert
  tx.run("update calls set status = 'in_flight', dispatched_at = ? where call = ?", event.at, call);
};

/** What comes after the end still belongs to the call. */
const later: Apply = (tx, event) => {
  tx.run("update calls set last_position = max(last_position, ?) where call = ?", event.position, event.call ?? "");
};

const suspended: Apply = (tx, event) => {
  tx.run("update calls set status = 'waiting', last_position = ? where call = ?", event.position, event.call ?? "");
};
const resumed: Apply = (tx, event, turn) => {
  later(tx, event, turn);
  if ((event.data as EventOf<typeof CallResumed>["data"]).leg !== undefined)
    tx.run("update calls set status = 'in_flight' where call = ?", event.call ?? "");
};

const answered: Apply = (tx, event, turn) => {
  const { call, certainty, code, isError } = event.data as EventOf<typeof CallAnswered>["data"];
  tx.run(
    "update calls set status = 'ended', certainty = ?, code = ?, is_error = ?, ended_at = ?, last_position = ?, settled_position = ? where call = ?",
    certainty,
    code ?? null,
    isError === undefined ? null : Number(isError),
    event.at,
    event.position,
    turn.find(({ type, call: of }) => type === "call.settled" && of === call)?.position ?? null,
    call,
  );
};

const resolved: Apply = (tx, event, turn) => {
  later(tx, event, turn);
  tx.run("update calls set resolved_position = ? where call = ?", event.position, event.call ?? "");
};

export const calls: Projection = {
  name: "calls",
  version: 6,
  tables: `
    create table calls (
      call text primary key, session text not null, agent text, name text not null, server text, tool text, capability text, digest text,
      status text not null, certainty text, code text, is_error integer,
      requested_at integer not null, dispatched_at integer, ended_at integer,
      first_position integer not null, last_position integer not null, settled_position integer, resolved_position integer, rewritten_position integer, key text, key_digest text
    ) strict, without rowid;
    create index calls_by_key on calls (agent, key) where key is not null;
    create table call_agents (session text primary key, agent text not null) strict, without rowid;
  `,
  drop: ["calls", "call_agents"],
  on: {
    "session.opened": opened,
    "call.requested": requested,
    "call.refused": refused,
    "call.checked": checked,
    "call.queued": queued,
    "call.dispatched": dispatched,
    "call.answered": answered,
    "call.resolved": resolved,
    "call.admitted": later,
    "call.unclaimed": later,
    "call.cancelling": later,
    "call.questioned": later,
    "call.suspended": suspended,
    "call.resumed": resumed,
    "call.claimed": later,
    "task.settled": later,
    "task.delivered": later,
    "question.lapsed": later,
    "grant.consumed": later,
  },
};
