/** The questions of one round, each with what becomes of it: the same for the decision and for whoever prepares it. */
import type { Elicitation, ObservedQuestion, Treatment } from "../../events/elicitation.ts";
import { type Situation, treat } from "../elicit/treat.ts";
import type { InFlight } from "../server-commands.ts";

export type Treated = ObservedQuestion & Treatment;

interface About {
  readonly policy: Elicitation;
  readonly flights: readonly Pick<InFlight, "questions">[];
  readonly available: Situation["available"];
  /** The agent of the call can answer a question that it gets as a result. */
  readonly canHandBack: boolean;
  /** Asked on the open connection, so that the call cannot wait for the answer elsewhere. */
  readonly inBand: boolean;
}

export function treatRound(questions: readonly ObservedQuestion[], { flights, inBand, ...about }: About): Treated[] {
  const before = Math.max(0, ...flights.map(({ questions: asked = 0 }) => asked));
  const canHandBack = about.canHandBack && !inBand && flights.length === 1;
  return questions.map((question, index) => ({ ...question, ...treat(question, { ...about, canHandBack, attempts: before + index }) }));
}

/** Somebody outside the call is to answer. */
export const isPutOutside = ({ treatment }: Treatment): boolean => treatment === "handback" || treatment === "respond";
