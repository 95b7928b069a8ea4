/** `/debug/api/questions`, `/debug/api/tasks`: what servers asked and what goes on in the background, by log position. `?status=`; `?type=` who is to answer, or whose task it is. */
import { QuestionWay } from "../../../events/elicitation.ts";
import { QUESTION_STATUSES, type QuestionViews } from "../../calls/question-views.ts";
import { TASK_STATUSES, type TaskViews } from "../../calls/task-views.ts";
import type { Reader } from "../../log/reader.ts";
import { answer, pagingOf, wordOf } from "./answers.ts";

export function listQuestions(reader: Reader, views: Pick<QuestionViews, "questionPage">, url: URL): Response {
  const status = wordOf(url, "status", QUESTION_STATUSES) ?? null;
  const way = wordOf(url, "type", QuestionWay.options) ?? null;
  return answer({ questions: views.questionPage({ ...pagingOf(url), status, way }), position: reader.head.position });
}

export function listTasks(reader: Reader, views: Pick<TaskViews, "taskPage">, url: URL): Response {
  const status = wordOf(url, "status", TASK_STATUSES) ?? null;
  const kind = wordOf(url, "type", ["server", "call"] as const) ?? null;
  return answer({ tasks: views.taskPage({ ...pagingOf(url), status, kind }), position: reader.head.position });
}
