/** What doors, tools and verbs read about questions: durable rows only, with the messages of their events. */
import type { Field, QuestionSource, QuestionWay } from "../../events/elicitation.ts";
import type { Reader } from "../log/reader.ts";
import type { OfCall } from "./of-call.ts";

export const QUESTION_STATUSES = ["open", "answered", "declined", "expired", "lapsed", "cancelled"] as const;
export type QuestionStatus = (typeof QUESTION_STATUSES)[number];

/** A question as lists show it. Times are milliseconds since the epoch. */
export interface QuestionView extends OfCall {
  readonly way: QuestionWay;
  readonly source: QuestionSource;
  /** The task that asks. */
  readonly task?: string;
  readonly status: QuestionStatus;
  /** Scrubbed; empty when it was erased. */
  readonly message: string;
  readonly fields: readonly Field[];
  readonly round: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly resolvedAt?: number;
  readonly by?: string;
  readonly reason?: string;
  readonly position: number;
}
/** What is asked of a list; null: any. */
export interface QuestionPage {
  readonly after: number;
  readonly limit: number;
  readonly status: QuestionStatus | null;
  readonly way: QuestionWay | null;
}
export interface QuestionViews {
  question(id: string): QuestionView | undefined;
  /** Open, or resolved after `since`, oldest first. */
  questions(since: number): readonly QuestionView[];
  /** After a log position, oldest first. */
  questionPage(page: QuestionPage): readonly QuestionView[];
  openQuestions(): number;
  /** The open one of a call. */
  questionOf(call: string): QuestionView | undefined;
}

/** The payload of what was asked: the texts of its forms, by their keys. */
export interface AskedWords {
  readonly messages: Readonly<Record<string, string>>;
}

interface Row extends Omit<QuestionView, "fields" | "message" | "task" | "resolvedAt" | "by" | "reason"> {
  readonly fields: string;
  readonly task: string | null;
  readonly resolvedAt: number | null;
  readonly by: string | null;
  readonly reason: string | null;
}

const ROW = `select q.id, q.call as callId, coalesce(s.name, q.session) as session, q.session as sessionId, q.agent, q.server, q.tool, q.name, q.way, q.source,
  q.task, q.status, q.fields, q.round, q.created_at as createdAt, q.expires_at as expiresAt, q.resolved_at as resolvedAt, q.by, q.reason, q.position
  from questions q left join sessions s on s.id = q.session`;
const PAGE = `${ROW} where q.position > ?1 and (?2 is null or q.status = ?2) and (?3 is null or q.way = ?3) order by q.position limit ?4`;

export function questionViews(log: Reader): QuestionViews {
  const view = ({ fields, task, resolvedAt, by, reason, ...row }: Row): QuestionView => {
    const { messages = {} } = (log.payload(row.position) ?? {}) as Partial<AskedWords>;
    return {
      ...row,
      message: Object.values(messages).join("\n"),
      fields: JSON.parse(fields) as Field[],
      ...(task !== null && { task }),
      ...(resolvedAt !== null && { resolvedAt }),
      ...(by !== null && { by }),
      ...(reason !== null && { reason }),
    };
  };
  return {
    question: (id) => log.query<Row>(`${ROW} where q.id = ?`, id).map(view)[0],
    questions: (since) => log.query<Row>(`${ROW} where q.resolved_at is null or q.resolved_at > ? order by q.position`, since).map(view),
    questionPage: ({ after, limit, status, way }) => log.query<Row>(PAGE, after, status, way, limit).map(view),
    openQuestions: () => log.query<{ n: number }>("select count(*) as n from questions where status = 'open'")[0]?.n ?? 0,
    questionOf: (call) =>
      log.query<Row>(`${ROW} where q.call = ? and q.status = 'open' order by q.position desc limit 1`, call).map(view)[0],
  };
}
