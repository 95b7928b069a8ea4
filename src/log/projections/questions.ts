/** Questions that wait, or waited, for somebody outside their call: one row each. */

import type { EventOf } from "../../../events/define.ts";
import type { QuestionEvent, QuestionOpened } from "../../../events/question.ts";
import type { Apply, Projection } from "../projection.ts";

const opened: Apply = (tx, event) => {
  const question = event.data as EventOf<typeof QuestionOpened>["data"];
  tx.run(
    `insert into questions (id, call, session, agent, server, tool, name, way, source, task, status, round, fields, created_at, expires_at, position)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, ?, ?, ?, ?)`,
    question.id,
    question.call,
    question.session,
    question.agent,
    question.server,
    question.tool,
    question.name,
    question.way,
    question.source,
    question.task ?? null,
    question.round,
    JSON.stringify(question.fields),
    question.createdAt,
    question.expiresAt,
    event.position,
  );
};

/** Its end; that a server has forgotten an answered one comes after it. */
const ended =
  (status: string): Apply =>
  (tx, { at, data }) => {
    const { id, ...rest } = data as Extract<QuestionEvent, { type: "question.lapsed" | "question.expired" | "question.answered" }>["data"];
    const by = "by" in rest ? rest.by : null;
    const reason = "reason" in rest ? rest.reason : null;
    tx.run("update questions set status = ?, resolved_at = ?, by = coalesce(?, by), reason = ? where id = ?", status, at, by, reason, id);
  };

export const questions: Projection = {
  name: "questions",
  version: 1,
  tables: `
    create table questions (
      id text primary key, call text not null, session text not null, agent text not null, server text not null, tool text not null, name text not null,
      way text not null, source text not null, task text, status text not null, round integer not null, fields text not null,
      created_at integer not null, expires_at integer not null, resolved_at integer, by text, reason text, position integer not null
    ) strict, without rowid;
    create index questions_by_position on questions (position);
    create index questions_by_call on questions (call);
  `,
  drop: ["questions"],
  on: {
    "question.opened": opened,
    "question.answered": ended("answered"),
    "question.declined": ended("declined"),
    "question.expired": ended("expired"),
    "question.lapsed": ended("lapsed"),
    "question.cancelled": ended("cancelled"),
  },
};
