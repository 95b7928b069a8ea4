/** What `call_status` tells of questions and tasks. */
import type { QuestionView } from "../calls/question-views.ts";
import type { TaskView } from "../calls/task-views.ts";
import type { ToolContext } from "./define.ts";

const time = (at: number): string => new Date(at).toISOString();

export function questionStatus(question: QuestionView, { questionText }: Pick<ToolContext, "questionText">) {
  const { id, name, status, expiresAt, server, tool, fields, callId, reason } = question;
  const open = status === "open" ? questionText(id) : undefined;
  const why = reason === undefined ? "" : ` (${reason})`;
  return {
    text: open ?? `${id}, a question of ${name}: ${status}${why}; its call is ${callId}.`,
    structured: { id, kind: "question", status, server, tool, fields, callId, expiresAt },
  };
}

export function taskStatus({ id, name, status, deadline, settledAt, callId, server, tool, reason }: TaskView) {
  const until = deadline === null || settledAt !== undefined ? "" : `, given up at ${time(deadline)}`;
  const why = reason === undefined ? "" : ` (${reason})`;
  return {
    text: `${id}, ${name}: ${status}${why}${until}.`,
    structured: { id, kind: "task", status, server, tool, callId, ...(deadline !== null && { expiresAt: deadline }) },
  };
}
