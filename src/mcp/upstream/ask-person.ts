/** Asks the person in front of a legacy client for a decision, by a form of the client's own. */
import { DECISION_FORM, decisionOf, type PersonAnswer } from "./decision-form.ts";
import type { Elicit } from "./elicit.ts";

export interface PersonQuestion {
  readonly message: string;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** The answer is not needed any more. */
  readonly signal: AbortSignal;
}
/** Undefined when the person did not say. Never rejects. */
export type AskPerson = (question: PersonQuestion) => Promise<PersonAnswer | undefined>;

export function askPersonBy(elicit: Elicit): AskPerson {
  return async (question) => {
    const answer = await elicit({ ...question, requestedSchema: DECISION_FORM });
    return answer && decisionOf(answer);
  };
}
