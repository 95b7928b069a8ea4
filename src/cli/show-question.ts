/** One question of a server from its call to what was answered, from the log. Never the values of an answer. */
import type { Envelope } from "../../events/envelope.ts";
import { interruptionsOf } from "../calls/legs.ts";
import { type QuestionView, questionViews } from "../calls/question-views.ts";
import type { Reader } from "../log/reader.ts";
import { bold, inline, time } from "./print.ts";
import { timelineTable, wordsOf } from "./show-legs.ts";

type Asked = ReturnType<typeof interruptionsOf>["questions"];
export interface QuestionHistory extends QuestionView {
  readonly kind: "question";
  /** How each form of it was treated and answered, by names. */
  readonly forms: Asked;
  /** Its own events, and those of its call that are about it. `ms`: since it was opened. */
  readonly timeline: readonly (Envelope & { readonly ms: number })[];
}

export function questionHistory(reader: Reader, id: string): QuestionHistory | undefined {
  const view = questionViews(reader).question(id);
  if (!view) return undefined;
  const ofCall = reader.eventsOfCall(view.callId);
  const isIts = ({ type, data }: Envelope): boolean => {
    const { id: of, question } = data as Readonly<Record<string, unknown>>;
    return question === id || (type.startsWith("question.") && of === id);
  };
  return {
    kind: "question",
    ...view,
    forms: interruptionsOf(ofCall, (position) => reader.payload(position)).questions.filter(({ question }) => question === id),
    timeline: ofCall.filter(isIts).map((event) => ({ ...event, ms: event.at - view.createdAt })),
    position: reader.head.position,
  };
}

export function printQuestion(question: QuestionHistory): string {
  const { id, callId, name, server, tool, session, agent, status, way, source, round, task, createdAt, expiresAt } = question;
  const { message, fields, by, reason, resolvedAt, forms, timeline } = question;
  const end =
    resolvedAt === undefined ? "" : ` ${time(resolvedAt)}${by === undefined ? "" : ` by ${by}`}${reason ? `: ${inline(reason)}` : ""}`;
  return [
    bold(inline(`${name}  ${id}`)),
    inline(`tool       ${tool} of ${server}`),
    inline(`session    ${session}, agent ${agent}`),
    inline(`call       ${callId}, round ${round}${task === undefined ? "" : `, task ${task}`}`),
    `asked      ${time(createdAt)}, to be answered until ${time(expiresAt)}; ${WAYS[way]} (${source})`,
    `message    ${
      message === ""
        ? "(erased, or none)"
        : message
            .split("\n")
            .map(inline)
            .join(`\n${" ".repeat(11)}`)
    }`,
    ...fields.map(
      (field, at) =>
        `${(at === 0 ? "fields" : "").padEnd(11)}${inline(field.name)}: ${field.type}${field.required ? "" : ", optional"}${field.decision ? ", a person has to decide" : ""}`,
    ),
    inline(`status     ${status}${end}`),
    ...forms.flatMap(({ key, answer }) => (answer ? [`answer     ${inline(key)}: ${wordsOf(answer)}`] : [])),
    "",
    timelineTable(timeline),
  ].join("\n");
}

const WAYS = {
  handback: "the agent answers, or an operator",
  client: "the client's own person answers, or an operator",
  operator: "an operator answers",
} as const;
