/** What an actor wants to be woken for, so that a start can arm it again: the deadlines of calls that wait in a queue, of approvals, questions and tasks. */
import type { ApprovalRequested, ApprovalResolved } from "../../../events/approval.ts";
import type { CallDispatched, CallQueued, CallRejected } from "../../../events/call.ts";
import type { EventOf } from "../../../events/define.ts";
import type { QuestionOpened } from "../../../events/question.ts";
import type { TaskStarted } from "../../../events/task.ts";
import type { Apply, Projection } from "../projection.ts";

export interface TimerRow {
  /** The actor to wake. */
  readonly address: string;
  /** What for: a call's id, or `approval:`, `question:` or `task:` and its id. */
  readonly key: string;
  readonly at: number;
}

const queued: Apply = (tx, { stream, data }) => {
  const { call, deadline } = data as EventOf<typeof CallQueued>["data"];
  tx.run("insert or replace into timers (address, key, at) values (?, ?, ?)", stream, call, deadline);
};

const dispatched: Apply = (tx, { stream, data }) => {
  const { call, queued: waited } = data as EventOf<typeof CallDispatched>["data"];
  if (waited) tx.run("delete from timers where address = ? and key = ?", stream, call);
};

const rejected: Apply = (tx, { stream, data }) => {
  const { call } = data as EventOf<typeof CallRejected>["data"];
  tx.run("delete from timers where address = ? and key = ?", stream, call);
};

const asked: Apply = (tx, { stream, data }) => {
  const { id, expiresAt } = data as EventOf<typeof ApprovalRequested>["data"];
  tx.run("insert or replace into timers (address, key, at) values (?, ?, ?)", stream, `approval:${id}`, expiresAt);
};

const decided: Apply = (tx, { stream, data }) => {
  const { id } = data as EventOf<typeof ApprovalResolved>["data"];
  tx.run("delete from timers where address = ? and key = ?", stream, `approval:${id}`);
};

const questionKey = (data: unknown): string => `question:${(data as { id: string }).id}`;
const questioned: Apply = (tx, { stream, data }) => {
  const { expiresAt } = data as EventOf<typeof QuestionOpened>["data"];
  tx.run("insert or replace into timers (address, key, at) values (?, ?, ?)", stream, questionKey(data), expiresAt);
};
const settled: Apply = (tx, { stream, data }) => tx.run("delete from timers where address = ? and key = ?", stream, questionKey(data));

const started: Apply = (tx, { stream, data }) => {
  const { id, deadline } = data as EventOf<typeof TaskStarted>["data"];
  tx.run("insert or replace into timers (address, key, at) values (?, ?, ?)", stream, `task:${id}`, deadline);
};
const over: Apply = (tx, { stream, data }) => {
  tx.run("delete from timers where address = ? and key = ?", stream, `task:${(data as { id: string }).id}`);
};

export const timers: Projection = {
  name: "timers",
  version: 3,
  tables:
    "create table timers (address text not null, key text not null, at integer not null, primary key (address, key)) strict, without rowid;",
  drop: ["timers"],
  on: {
    "call.queued": queued,
    "call.dispatched": dispatched,
    "call.rejected": rejected,
    "approval.requested": asked,
    "approval.resolved": decided,
    "question.opened": questioned,
    "question.answered": settled,
    "question.declined": settled,
    "question.expired": settled,
    "question.lapsed": settled,
    "question.cancelled": settled,
    "task.started": started,
    "task.settled": over,
  },
};
