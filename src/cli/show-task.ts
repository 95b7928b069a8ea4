/** One call that went on in the background, from its start to its delivery, from the log. */
import type { Envelope } from "../../events/envelope.ts";
import { type TaskView, taskViews } from "../calls/task-views.ts";
import type { Reader } from "../log/reader.ts";
import { bold, inline, time } from "./print.ts";
import { timelineTable } from "./show-legs.ts";

export interface TaskHistory extends Omit<TaskView, "kind"> {
  readonly kind: "task";
  /** Of a server, or a call of ours that its client follows. */
  readonly origin: TaskView["kind"];
  /** What it asked. */
  readonly questions: readonly string[];
  /** Its own events, its questions, and those of its call that are about it. `ms`: since it was started. */
  readonly timeline: readonly (Envelope & { readonly ms: number })[];
}

export function taskHistory(reader: Reader, id: string): TaskHistory | undefined {
  const view = taskViews(reader).task(id);
  if (!view) return undefined;
  const isIts = ({ type, data }: Envelope): boolean => {
    const { id: of, task } = data as Readonly<Record<string, unknown>>;
    return task === id || (type.startsWith("task.") && of === id);
  };
  const own = reader.eventsOfCall(view.callId).filter((event) => isIts(event) || event.type === "call.settled");
  const { kind: origin, ...row } = view;
  return {
    kind: "task",
    origin,
    ...row,
    questions: own.flatMap(({ type, data }) => (type === "question.opened" ? [(data as { id: string }).id] : [])),
    timeline: own.map((event) => ({ ...event, ms: event.at - view.createdAt })),
    position: reader.head.position,
  };
}

export function printTask(task: TaskHistory): string {
  const { id, callId, origin, name, server, tool, session, agent, status, createdAt, deadline, pollMs, pollFailures } = task;
  const { settledAt, reason, delivered, questions, timeline } = task;
  const until = deadline === null ? "" : `, to be over by ${time(deadline)}`;
  const polls =
    pollMs === undefined ? [] : [`polled     every ${pollMs} ms${pollFailures > 0 ? `, failed in a row: ${pollFailures}` : ""}`];
  return [
    bold(inline(`${name}  ${id}`)),
    inline(`tool       ${tool} of ${server}`),
    inline(`session    ${session}, agent ${agent}`),
    inline(`call       ${callId}, ${origin === "server" ? "a task of its server" : "its client follows it as a task"}`),
    `started    ${time(createdAt)}${until}`,
    ...polls,
    ...questions.map((question, at) => `${(at === 0 ? "questions" : "").padEnd(11)}${question}`),
    inline(`status     ${status}${settledAt === undefined ? "" : ` ${time(settledAt)}`}${reason ? `: ${inline(reason)}` : ""}`),
    ...(settledAt === undefined ? [] : [`delivered  ${delivered ? "yes" : "not yet: it is announced, and call_status tells it"}`]),
    "",
    timelineTable(timeline),
  ].join("\n");
}
