/** A call that its server interrupted, as one reads it: what was asked and how it was treated, and each request that went out for it. */
import type { EventOf } from "../../events/define.ts";
import type { GivenAnswer, QuestionWay, Treatment } from "../../events/elicitation.ts";
import type { Envelope } from "../../events/envelope.ts";
import type { CallQuestioned, CallResumed, CallSuspended } from "../../events/leg.ts";
import type { AskedWords } from "./question-views.ts";

/** One form of one round. */
export interface AskedView extends Omit<Treatment, "responder" | "withheld"> {
  readonly round: number;
  readonly source: string;
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly fields: readonly string[];
  readonly responder?: string;
  /** Scrubbed; absent when it was erased. */
  readonly message?: string;
  /** Put to somebody outside under this id. */
  readonly question?: string;
  readonly way?: QuestionWay;
  readonly task?: string;
  /** How its server was answered, by names. */
  readonly answer?: Omit<GivenAnswer, "key">;
}
/** One request. Its answer may be a question or a task, for which the call then waits. */
export interface LegView {
  readonly leg: number;
  readonly sentAt: number;
  readonly deadline?: number;
  readonly suspendedAt?: number;
  readonly question?: string;
  readonly task?: string;
}
export interface Interruptions {
  readonly questions: readonly AskedView[];
  readonly legs: readonly LegView[];
}

type Data<E extends typeof CallQuestioned | typeof CallSuspended | typeof CallResumed> = EventOf<E>["data"];

/** `events`: all of one call, in order. `payload`: the free value of one of them. */
export function interruptionsOf(events: readonly Envelope[], payload: (position: number) => unknown): Interruptions {
  const questions: AskedView[] = [];
  const legs: LegView[] = [];
  const asked = (event: Envelope) => {
    const { round, source, questions: forms, question, way, task } = event.data as Data<typeof CallQuestioned>;
    const { messages = {} } = (payload(event.position) ?? {}) as Partial<AskedWords>;
    for (const { key, fields, treatment, rule, responder } of forms) {
      const isOutside = treatment === "handback" || treatment === "respond";
      const before = questions.findIndex((one) => one.round === round && one.key === key);
      const message = messages[key] ?? questions[before]?.message;
      const view: AskedView = {
        round,
        source,
        key,
        at: event.at,
        fields: fields.map(({ name }) => name),
        treatment,
        rule,
        ...(responder && { responder }),
        ...(message !== undefined && { message }),
        ...(isOutside && question !== undefined && { question }),
        ...(isOutside && way && { way }),
        ...(task !== undefined && { task }),
      };
      if (before >= 0)
        questions[before] = view; // treated in another way: there was no place for it
      else questions.push(view);
    }
  };
  /** Of the newest round of these forms. */
  const answered = (answers: readonly GivenAnswer[]) => {
    for (const { key, ...answer } of answers) {
      const at = questions.findLastIndex((one) => one.key === key);
      const one = questions[at];
      if (one) questions[at] = { ...one, answer };
    }
  };
  for (const event of events) {
    const { type, at, data } = event;
    if (type === "call.dispatched") legs.push({ leg: 1, sentAt: at });
    if (type === "call.questioned") asked(event);
    if (type === "question.answered" || type === "question.declined") answered((data as { answers: readonly GivenAnswer[] }).answers);
    if (type === "call.suspended") {
      const { question, task } = data as Data<typeof CallSuspended>;
      const last = legs.pop();
      if (last) legs.push({ ...last, suspendedAt: at, ...(question !== undefined && { question }), ...(task !== undefined && { task }) });
    }
    if (type === "call.resumed") {
      const { leg, deadline, answers } = data as Data<typeof CallResumed>;
      answered(answers);
      if (leg !== undefined) legs.push({ leg, sentAt: at, ...(deadline !== undefined && { deadline }) });
    }
  }
  return { questions, legs };
}
