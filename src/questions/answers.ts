/** Answers as they go to a server, and what is written down of them: names, never values. */
import { completeAnswer } from "../../actors/elicit/answer.ts";
import { readForm } from "../../actors/elicit/form.ts";
import type { AskedQuestion } from "../../actors/elicit/notes.ts";
import { isPutOutside, type Treated } from "../../actors/legs/treated.ts";
import type { Elicitation, GivenAnswer, ObservedQuestion } from "../../events/elicitation.ts";
import type { InputRequest, InputResponse } from "../mcp/downstream/downstream.ts";
import { markerIn } from "../secrets/marker.ts";
import type { AskedForm } from "./kept.ts";

export interface Answered {
  readonly response: InputResponse;
  readonly given: GivenAnswer;
}

export const declined = (key: string, by: string, rule: string): Answered => ({
  response: { action: "decline" },
  given: { key, action: "decline", by, rule, fields: [] },
});

export const accepted = (key: string, by: string, content: Readonly<Record<string, unknown>>): Answered => ({
  response: { action: "accept", content },
  given: { key, action: "accept", by, fields: Object.keys(content) },
});

/** What somebody answers, completed by the operator's defaults and checked against the form. */
export function completed(
  key: string,
  by: string,
  request: InputRequest,
  content: unknown,
  { defaults }: Pick<Elicitation, "defaults">,
  withheld: readonly string[] = [],
): Answered {
  const answer = completeAnswer(readForm(request.params), content, defaults, withheld);
  if (answer.action !== "accept") return declined(key, by, answer.rule);
  return holdsMarker(answer.content) ? declined(key, by, "redacted-value") : accepted(key, by, answer.content);
}

/** Whoever was shown a marker in place of a secret may send it back: it is no value, and no server gets one. */
export const holdsMarker = (content: Readonly<Record<string, unknown>>): boolean =>
  Object.values(content)
    .flat()
    .some((value) => typeof value === "string" && markerIn(value) !== undefined);

/** Of a round that waits for somebody: what the policy answers by itself. */
export function answeredByPolicy(
  treated: readonly Treated[],
  requests: Readonly<Record<string, InputRequest>>,
  policy: Elicitation,
): readonly Answered[] {
  return treated.flatMap((question) => {
    const request = requests[question.key];
    return request && !isPutOutside(question) ? [byPolicy(question, request, policy)] : [];
  });
}

export const byPolicy = (
  { key, treatment, rule }: Pick<Treated, "key" | "treatment" | "rule">,
  request: InputRequest,
  policy: Elicitation,
): Answered => (treatment === "defaults" ? completed(key, "defaults", request, {}, policy) : declined(key, "policy", rule));

export const responsesOf = (answers: readonly Answered[]): Record<string, InputResponse> =>
  Object.fromEntries(answers.map(({ given, response }) => [given.key, response]));

/** The forms of a round as they may be told. */
export const askedForms = (
  questions: readonly Pick<ObservedQuestion, "key" | "fields">[],
  messages: Readonly<Record<string, string>>,
): AskedForm[] => questions.map(({ key, fields }) => ({ key, message: messages[key] ?? "", fields: fields.map(({ name }) => name) }));

/** For the note beside the result. */
export const recordsOf = (asked: readonly AskedForm[], given: readonly GivenAnswer[]): AskedQuestion[] =>
  given.map(({ key, action, by, rule, fields }) => {
    const form = asked.find((one) => one.key === key);
    return {
      message: form?.message ?? "",
      fields: form?.fields ?? [],
      answer: { action, by, fields, ...(rule !== undefined && { rule }) },
    };
  });
