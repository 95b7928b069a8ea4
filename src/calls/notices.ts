/** The short texts that tell an agent what became of calls it has not heard of. */
import type { QuestionView } from "./question-views.ts";
import type { CallViews } from "./views.ts";

const MAX_ARGUMENTS = 300;
const MAX_RESULT = 2000;

const cut = (text: string, length: number): string => (text.length <= length ? text : `${text.slice(0, length)}… [cut]`);
const when = (at: number): string => new Date(at).toISOString();

/** The text blocks of a result, joined. */
function textOf(result: Readonly<Record<string, unknown>> | undefined): string {
  const content = result?.["content"];
  if (!Array.isArray(content)) return "";
  return content.flatMap((block: { text?: unknown }) => (typeof block?.text === "string" ? [block.text] : [])).join("\n");
}

/** One text a call: which, when, its redacted arguments, what is known. Calls that are gone from the log are left out. */
export function noticeTexts(calls: readonly string[], views: CallViews): string[] {
  return calls.flatMap((id) => {
    const question = views.question(id);
    if (question) return question.status === "open" ? [askedText(question)] : [];
    const row = views.call(id);
    if (!row) return [];
    const args = cut(JSON.stringify(views.argumentsOf(id) ?? {}), MAX_ARGUMENTS);
    const task = views.taskOf(id);
    const which = task ? `${id}, task ${task.id}` : id;
    const asked = `Notice about an earlier call: ${row.name} ${args}, asked ${when(row.requestedAt)} (${which})`;
    const doubt = views.doubt(id);
    if (doubt && doubt.resolvedAt === null)
      return [
        `${asked}: it was sent and no answer came, so it may have been carried out; verify before repeating. ` +
          `Then settle it with resolve_call {"call":"${id}","outcome":"applied"|"not_applied"}.`,
      ];
    const result = textOf(views.resultOf(id));
    if (doubt)
      return [
        `${asked}: it was in doubt and is resolved now: ${doubt.outcome}.${result === "" ? "" : ` It answered: ${cut(result, MAX_RESULT)}`}`,
      ];
    if (row.status !== "ended") return [`${asked}: it is still ${row.status.replace("_", " ")}. call_status tells how it ends.`];
    if (row.certainty === "answered") return [`${asked}: it ended after you had left. It answered: ${cut(result, MAX_RESULT)}`];
    return [`${asked}: nothing was done (${row.code ?? "unknown"}).`];
  });
}

/** Of a background task, or of a call whose client had left. */
const askedText = ({ id, server, tool, task }: QuestionView): string =>
  `Notice: ${tool} of ${server}${task === undefined ? "" : ` (task ${task})`} asks before it goes on. call_status {"id":"${id}"} shows the question; answer it with mcp_answer.`;

/** Another agent's call (or one with a harmless hint) that is in doubt and does the same as the one just made. */
export function twinText(twin: string, views: CallViews): string[] {
  const row = views.call(twin);
  if (!row) return [];
  return [
    `Notice: an identical call of ${row.name} (${twin}, asked ${when(row.requestedAt)}) is in doubt: it may have been carried out as well as this one.`,
  ];
}
