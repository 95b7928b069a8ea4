/** Counts of what servers asked, how it was answered, and what went on in the background: from committed events. */
import type { GivenAnswer } from "../../events/elicitation.ts";
import type { ServerLegEvent } from "../../events/leg.ts";
import type { QuestionEvent } from "../../events/question.ts";
import type { TaskEvent } from "../../events/task.ts";
import type { NewEvent } from "../runtime/event-log.ts";
import { createCounter } from "./metrics-text.ts";

export interface QuestionMetrics {
  /** What to do with an event of a type. */
  readonly handlers: Readonly<Record<string, (event: NewEvent) => void>>;
  text(): string;
}

/** Who gave an answer, from how events name it; whatever is not of these is one of our rules. */
const VIA: Readonly<Record<string, string>> = {
  agent: "answer",
  client: "client",
  operator: "operator",
  cli: "operator",
  llm: "llm",
  conversation: "conversation",
  defaults: "defaults",
};
const WAYS = new Set(["notice", "call_status", "tasks/get"]);
const first = (text: string): string => text.split(":")[0] ?? text;

type Data<E extends { readonly type: string; readonly data: object }, T extends E["type"]> = Extract<E, { readonly type: T }>["data"];
type Asked<T extends ServerLegEvent["type"]> = Data<ServerLegEvent, T>;
type Put<T extends QuestionEvent["type"]> = Data<QuestionEvent, T>;
type Going<T extends TaskEvent["type"]> = Data<TaskEvent, T>;

/** `nameOf`: a server as it is configured, by its stream. What events name is as it was configured then. */
export function createQuestionMetrics(nameOf: (stream: string) => string): QuestionMetrics {
  const asked = createCounter("toolcrib_questions_total", "Questions of servers, by the rule that said what is done about them.");
  const answers = createCounter("toolcrib_question_answers_total", "Answers to questions of servers, by who gave them.");
  const settled = createCounter("toolcrib_questions_settled_total", "Questions put to somebody outside their call, by what came of them.");
  const full = createCounter("toolcrib_questions_refused_total", "Questions for which there was no place, by the limit.");
  const started = createCounter("toolcrib_tasks_started_total", "Calls that went on in the background.");
  const ended = createCounter("toolcrib_tasks_settled_total", "Tasks that ended, by how.");
  const turnedDown = createCounter("toolcrib_tasks_refused_total", "Tasks for which there was no place, by the limit.");
  const failures = createCounter("toolcrib_task_poll_failures_total", "Questions about tasks that a server did not answer.");
  const delivered = createCounter("toolcrib_tasks_delivered_total", "Tasks whose outcome the agent has, by how it heard.");

  const answered = (server: string, given: readonly GivenAnswer[]) => {
    for (const { action, by } of given) answers.add({ server, action, via: VIA[first(by)] ?? "rule" });
  };
  const end = (status: string) => (event: NewEvent) => {
    const { server, way } = event.data as Put<"question.expired">;
    settled.add({ server, way, status });
  };
  /** What an operator says is counted where the call goes on, as the words of all who are waited for. */
  const outside = (status: string) => (event: NewEvent) => {
    const { server, way, answers: given } = event.data as Put<"question.answered">;
    end(status)(event);
    if (way !== "operator") answered(server, given);
  };
  const begun = (kind: "server" | "call") => (event: NewEvent) => {
    const { server } = event.data as Going<"task.offered">;
    started.add({ server, kind });
  };
  return {
    handlers: {
      "call.questioned": ({ stream, data }) => {
        const { source, questions } = data as Asked<"call.questioned">;
        if (questions.some(({ rule }) => rule.startsWith("bridge."))) return; // the same ones again: there was no place for them
        for (const { treatment, rule } of questions) asked.add({ server: nameOf(stream), source, treatment, rule });
      },
      "call.resumed": ({ stream, data }) => {
        const { question, answers: given } = data as Asked<"call.resumed">;
        if (question === undefined) answered(nameOf(stream), given);
      },
      "question.answered": outside("answered"),
      "question.declined": outside("declined"),
      "question.expired": end("expired"),
      "question.lapsed": end("lapsed"),
      "question.cancelled": end("cancelled"),
      "question.refused": ({ data }) => full.add({ limit: (data as Put<"question.refused">).limit }),
      "task.started": begun("server"),
      "task.offered": begun("call"),
      "task.refused": ({ data }) => turnedDown.add({ limit: (data as Going<"task.refused">).limit }),
      "task.polled": ({ data }) => {
        const { server, failures: inRow } = data as Going<"task.polled">;
        if (inRow > 0) failures.add({ server });
      },
      "task.settled": ({ data }) => {
        const { server, status } = data as Going<"task.settled">;
        ended.add({ server, status });
      },
      "task.delivered": ({ data }) => {
        const { by } = data as Going<"task.delivered">;
        delivered.add({ via: WAYS.has(by) ? by : "other" });
      },
    },
    text: () => [asked, answers, settled, full, started, ended, turnedDown, failures, delivered].map((counter) => counter.text()).join(""),
  };
}
