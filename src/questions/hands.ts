/** Answers on their way to whoever waits for them in this process: a question on an open connection, or one of a task. Only in memory. */

import type { AskedQuestion } from "../../actors/elicit/notes.ts";
import type { QuestionSettled } from "../../actors/questions-commands.ts";
import type { GivenAnswer } from "../../events/elicitation.ts";
import type { QuestionView } from "../calls/question-views.ts";
import type { InputResponse } from "../mcp/downstream/downstream.ts";
import { recordsOf } from "./answers.ts";
import type { Kept, KeptQuestion } from "./kept.ts";
import type { Responses } from "./rounds.ts";
import type { TaskAnswered } from "./task-watch.ts";

export interface Hands {
  /** Kept until the question is written down as settled. Returns the way to take them back. */
  take(question: QuestionView, responses: Responses, given: readonly GivenAnswer[]): () => void;
  /** What an operator answers; undefined when nobody does in time. */
  operator(question: string): Promise<Responses | undefined>;
  settled(effect: QuestionSettled): void;
  /** Answers that are on their way, and those who wait for one. */
  readonly size: number;
}

export function createHands({ kept, answered }: { readonly kept: Kept<KeptQuestion>; readonly answered: TaskAnswered }): Hands {
  const taken = new Map<string, { readonly responses: Responses; readonly records: readonly AskedQuestion[] }>();
  const waiting = new Map<string, (responses: Responses | undefined) => void>();
  return {
    get size() {
      return taken.size + waiting.size;
    },
    take({ id }, responses, given) {
      taken.set(id, { responses, records: recordsOf(kept.get(id)?.asked ?? [], given) });
      return () => void taken.delete(id);
    },
    operator: (question) => new Promise((resolve) => waiting.set(question, resolve)),
    settled({ id, task, how }) {
      const sealed = kept.get(id);
      kept.drop(id);
      const answer = taken.get(id);
      taken.delete(id);
      const waiter = waiting.get(id);
      waiting.delete(id);
      waiter?.(answer?.responses);
      if (waiter || task === undefined) return;
      // Nobody answered: its server hears that, or it would wait for ever.
      const declined: InputResponse = { action: "decline" };
      const responses = answer?.responses ?? Object.fromEntries(Object.keys(sealed?.requests ?? {}).map((key) => [key, declined]));
      const given = Object.keys(responses).map((key) => ({ key, action: "decline" as const, by: "policy", rule: how, fields: [] }));
      void answered(task, responses, answer?.records ?? recordsOf(sealed?.asked ?? [], given));
    },
  };
}
