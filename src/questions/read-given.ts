/** What somebody answers to a question, made into what its server gets; or a sentence that says why that cannot be. */
import { completeAnswer } from "../../actors/elicit/answer.ts";
import { isRecord } from "../../actors/elicit/field.ts";
import { readForm } from "../../actors/elicit/form.ts";
import { roundForm, splitAnswer } from "../../actors/elicit/round.ts";
import type { GivenAnswer } from "../../events/elicitation.ts";
import type { InputResponse } from "../mcp/downstream/downstream.ts";
import { findUnsafeInteger } from "../observe/bounds.ts";
import { accepted, completed, declined, holdsMarker } from "./answers.ts";
import type { KeptQuestion } from "./kept.ts";

/** Values by the names of the hand-back, a refusal to answer, or what a client's own forms brought, by key. */
export type Given = { readonly answers: unknown } | { readonly decline: true } | { readonly responses: Readonly<Record<string, unknown>> };

const ACTIONS: readonly unknown[] = ["accept", "decline", "cancel"];
/** Of a client, to one form. What is none is not read as a no. */
export const isAnswer = (response: unknown): response is InputResponse => isRecord(response) && ACTIONS.includes(response["action"]);

const STAYS_OPEN = "Nothing was sent, the question stays open.";

export interface Read {
  readonly responses: Record<string, InputResponse>;
  readonly given: readonly GivenAnswer[];
  readonly isDecline: boolean;
}

/** What is sent for the forms that wait; a sentence when that cannot be made of what was given. */
export function readGiven(
  sealed: KeptQuestion,
  given: Given,
  by: string,
  defaults: Readonly<Record<string, unknown>>,
): Read | { readonly message: string } {
  const { keys, requests } = sealed;
  const [kind = by] = by.split(":");
  const who = kind === "cli" ? "operator" : kind;
  if ("decline" in given) return read(keys.map((key) => declined(key, who, "declined")));
  const forms = keys.map((key) => ({ key, fields: readForm(requests[key]?.params).fields }));
  if ("responses" in given) {
    return read(
      keys.map((key) => {
        const response = given.responses[key];
        const request = requests[key];
        const isAccept = isRecord(response) && response["action"] === "accept";
        if (!isAccept || !request) return declined(key, who, "declined");
        return completed(key, who, request, response["content"] ?? {}, { defaults });
      }),
    );
  }
  const answers = parsed(given.answers);
  if (!isRecord(answers))
    return { message: `The answers have to be an object with a member for each field, or decline: true. ${STAYS_OPEN}` };
  const answer = completeAnswer(roundForm(forms), answers, defaults);
  if (answer.action !== "accept") return { message: `The answers do not fit the form: ${answer.errors.join("; ")}. ${STAYS_OPEN}` };
  if (holdsMarker(answer.content))
    return { message: `The answers hold a redacted value, which stands for a secret and is none. ${STAYS_OPEN}` };
  const parts = splitAnswer(forms, answer.content);
  return read(keys.map((key) => accepted(key, who, parts.get(key) ?? {})));
}

const read = (answered: readonly ReturnType<typeof accepted>[]): Read => ({
  responses: Object.fromEntries(answered.map(({ given, response }) => [given.key, response])),
  given: answered.map(({ given }) => given),
  isDecline: answered.every(({ response }) => response.action !== "accept"),
});

/** Models like to send a JSON text instead of an object. One whose numbers parsing would alter is no answer. */
function parsed(answers: unknown): unknown {
  if (typeof answers !== "string") return answers;
  if (findUnsafeInteger(answers) !== undefined) return undefined;
  try {
    return JSON.parse(answers);
  } catch {
    return undefined;
  }
}
