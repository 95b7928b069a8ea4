/** `mcp_answer`: the agent answers the question that its server asked, and gets what its call came to. */
import { z } from "zod";
import { isRecord } from "../../actors/elicit/field.ts";
import { ownCall } from "../calls/own.ts";
import { defineTool, errorResult, type ToolContext, textResult } from "./define.ts";

const REACHED = "Your answer did reach the call: do not give it again.";

const UNKEPT = "[not kept]";
/** What somebody answers is written down by names alone. */
function namesIn(answers: unknown): unknown {
  if (!isRecord(answers)) return UNKEPT;
  return Object.fromEntries(Object.keys(answers).map((name) => [name, UNKEPT]));
}

/** Whatever is not an id or a refusal may be an answer under another name. */
export function withoutAnswers(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const kept = ([key, value]: [string, unknown]): unknown => {
    if (key === "answers") return namesIn(value);
    const isKnown = (key === "question_id" && typeof value === "string") || (key === "decline" && (value === true || value === "true"));
    return isKnown ? value : UNKEPT;
  };
  return Object.fromEntries(Object.entries(args).map((entry) => [entry[0], kept(entry)]));
}

/** A question of this session, or of one that it has inherited from; undefined reads as unknown. */
function questionOf(id: string, context: ToolContext) {
  const question = context.views.question(id);
  return question && ownCall(context.views, question.callId, context) ? question : undefined;
}

export const mcpAnswer = defineTool({
  name: "mcp_answer",
  description:
    "Answers, or declines, the question that a server asked in place of a result. The call then goes on: this returns its outcome, or the next question. " +
    "Each question takes one answer. Give only what you know; never a credential. A field that only the user may decide is answered after the user has spoken.",
  input: z.object({
    question_id: z.string().describe("The id in the question's text (q_…)."),
    answers: z
      .union([z.record(z.string(), z.unknown()), z.string()])
      .optional()
      .describe("An object with a member for each field, by the names in the question's text. Optional fields may be left out."),
    decline: z
      .union([z.boolean(), z.enum(["true", "false"])])
      .optional()
      .describe("true instead of answers: nobody answers, and the server decides how it goes on."),
  }),
  capability: "read",
  recorded: withoutAnswers,
  run: async ({ question_id: id, answers, decline }, context) => {
    const question = questionOf(id, context);
    if (!question) {
      context.unanswered("unknown");
      return errorResult(`There is no question "${id}" of yours.`);
    }
    const isDecline = decline === true || decline === "true";
    if (!isDecline && answers === undefined) {
      context.unanswered("malformed");
      return errorResult(
        'Give "answers", an object with a member for each field, or "decline": true. Nothing was sent, the question stays open.',
      );
    }
    const outcome = await context.answer(id, isDecline ? { decline: true } : { answers });
    if (!outcome.ok) {
      const form = outcome.status === 422 ? context.questionText(id) : undefined;
      return errorResult(form === undefined ? outcome.message : `${outcome.message}\n\n${form}`);
    }
    if (!outcome.end)
      return textResult(
        `The ${isDecline ? "refusal" : "answer"} was sent. ${question.task ? `The task ${question.task} goes on` : "The call goes on"}: its outcome comes later, call_status tells it.`,
      );
    const end = await outcome.end;
    const result = context.resultOf(end, question.name);
    if (end.code !== "timeout" && (end.code === undefined || end.certainty !== "in_doubt")) return result;
    const content = Array.isArray(result["content"]) ? result["content"] : [];
    return { ...result, content: [...content, { type: "text", text: REACHED }] };
  },
});
