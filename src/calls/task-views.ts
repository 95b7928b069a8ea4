/** What doors, tools and verbs read about tasks: durable rows only. */
import type { Reader } from "../log/reader.ts";
import type { OfCall } from "./of-call.ts";

export const TASK_STATUSES = ["starting", "working", "input_required", "completed", "failed", "cancelled", "expired", "lost"] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** A task as lists show it. Times are milliseconds since the epoch. */
export interface TaskView extends OfCall {
  /** Of a server, or a call of ours that its client follows. */
  readonly kind: "server" | "call";
  readonly status: TaskStatus;
  readonly delivered: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Null: that of its call. */
  readonly deadline: number | null;
  readonly pollFailures: number;
  /** How often its server is asked, in milliseconds. */
  readonly pollMs?: number;
  readonly settledAt?: number;
  readonly reason?: string;
  readonly position: number;
}
/** What is asked of a list; null: any. */
export interface TaskPage {
  readonly after: number;
  readonly limit: number;
  readonly status: TaskStatus | null;
  readonly kind: TaskView["kind"] | null;
}
export interface TaskViews {
  task(id: string): TaskView | undefined;
  /** Open, or settled after `since`, oldest first. */
  tasks(since: number): readonly TaskView[];
  /** After a log position, oldest first. */
  taskPage(page: TaskPage): readonly TaskView[];
  runningTasks(): number;
  /** The latest of a call. */
  taskOf(call: string): TaskView | undefined;
}

interface Row extends Omit<TaskView, "delivered" | "settledAt" | "reason" | "pollMs"> {
  readonly delivered: number;
  readonly settledAt: number | null;
  readonly reason: string | null;
  readonly pollMs: number | null;
}

const ROW = `select t.id, t.call as callId, coalesce(s.name, t.session) as session, t.session as sessionId, t.agent, t.server, t.tool, t.name, t.kind, t.status,
  t.delivered, t.created_at as createdAt, t.updated_at as updatedAt, t.deadline, t.poll_failures as pollFailures, t.poll_ms as pollMs, t.settled_at as settledAt,
  t.reason, t.position from tasks t left join sessions s on s.id = t.session`;
const PAGE = `${ROW} where t.position > ?1 and (?2 is null or t.status = ?2) and (?3 is null or t.kind = ?3) order by t.position limit ?4`;

export function taskViews(log: Reader): TaskViews {
  const view = ({ delivered, settledAt, reason, pollMs, ...row }: Row): TaskView => ({
    ...row,
    delivered: delivered === 1,
    ...(settledAt !== null && { settledAt }),
    ...(reason !== null && { reason }),
    ...(pollMs !== null && { pollMs }),
  });
  return {
    task: (id) => log.query<Row>(`${ROW} where t.id = ?`, id).map(view)[0],
    tasks: (since) => log.query<Row>(`${ROW} where t.settled_at is null or t.settled_at > ? order by t.position`, since).map(view),
    taskPage: ({ after, limit, status, kind }) => log.query<Row>(PAGE, after, status, kind, limit).map(view),
    runningTasks: () => log.query<{ n: number }>("select count(*) as n from tasks where settled_at is null")[0]?.n ?? 0,
    taskOf: (call) => log.query<Row>(`${ROW} where t.call = ? order by t.position desc limit 1`, call).map(view)[0],
  };
}
