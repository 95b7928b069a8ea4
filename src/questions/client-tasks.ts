/** What a client that follows a call as a task is told of it, and says to it: its state, the questions that wait, and that it is to stop. */
import { TASKS } from "../../actors/address.ts";
import { answerOf, type Answer as ToldAnswer, toToolResult } from "../calls/answer.ts";
import { ownCall } from "../calls/own.ts";
import type { QuestionView } from "../calls/question-views.ts";
import { storedEnd } from "../calls/stored-end.ts";
import type { TaskView } from "../calls/task-views.ts";
import { told as hasTold } from "../calls/told.ts";
import type { CallRow, CallViews } from "../calls/views.ts";
import type { Answer, Session, Tasks } from "../mcp/upstream/backend.ts";
import type { ClientAbilities } from "../mcp/upstream/client-abilities.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { AnswerOutcome, AnswerRequest } from "./answer-question.ts";
import { handleOf, type ParkedResults } from "./parked.ts";
import { isAnswer } from "./read-given.ts";
import { formKey, taskKey } from "./task-keys.ts";

export interface ClientTasksPorts {
  readonly runtime: Pick<Runtime, "enter" | "stateOf">;
  readonly views: CallViews;
  readonly parked: Pick<ParkedResults, "requestsOf">;
  readonly answer: (request: AnswerRequest) => Promise<AnswerOutcome>;
  /** The position of the log at the start of this process. */
  readonly since: number;
}
type Responses = Readonly<Record<string, unknown>>;

const INTERNAL_ERROR = -32603;
const ok = (result: Responses): Answer => ({ ok: true, result });
const failed = (message: string) => ({ code: INTERNAL_ERROR, message });
const DOUBT = "It was cancelled, but it may have been carried out: verify before repeating. call_status tells more.";

/** The server broke its task off, with an error of the protocol. */
const brokenOff = ({ error, result }: ToldAnswer) => {
  const [first] = (result?.["content"] ?? []) as readonly { readonly text?: string }[];
  return { ...failed(error?.message ?? first?.text ?? "The task has failed."), ...(error && { data: { error } }) };
};

export function createClientTasks({ runtime, views, parked, answer, since }: ClientTasksPorts): Tasks {
  /** Of a round that has not all of its answers yet; only in memory, as answers are stored nowhere. By question, then by key of the form. */
  const partly = new Map<string, Responses>();

  const mine = ({ id: session, principal }: Session, id: string) => {
    const task = views.task(id);
    const row = task && ownCall(views, task.callId, { session, agent: principal.agent });
    return task && row && { task, row };
  };
  const told = (session: string, ids: readonly string[]) => void hasTold(runtime, session, ids, "task");

  /** The open question, unless operators only may answer it. */
  const questionOf = ({ callId }: TaskView): QuestionView | undefined => {
    const question = views.questionOf(callId);
    return question?.way === "operator" ? undefined : question;
  };
  const openRequests = (question: QuestionView, { elicitation }: ClientAbilities) => {
    const given = partly.get(question.id) ?? {};
    const requests = elicitation ? Object.entries(parked.requestsOf(question) ?? {}).filter(([key]) => !Object.hasOwn(given, key)) : [];
    return requests.length > 0 ? Object.fromEntries(requests) : undefined;
  };
  /** What a process that died was told of a round with several forms went with it. */
  const shownAs = ({ round, position }: QuestionView, key: string, isOneOfSeveral: boolean): string =>
    taskKey(key, { round, ...(isOneOfSeveral && position <= since && { again: since.toString(36) }) });
  const shown = (question: QuestionView, requests: Responses): Responses => {
    const isOneOfSeveral = Object.keys(parked.requestsOf(question) ?? {}).length > 1;
    return Object.fromEntries(Object.entries(requests).map(([key, request]) => [shownAs(question, key, isOneOfSeveral), request]));
  };

  const running = (session: Session, task: TaskView, client: ClientAbilities): Responses => {
    const question = questionOf(task);
    if (!question) return handleOf(task, "working");
    const inputRequests = openRequests(question, client);
    if (inputRequests) {
      told(session.id, [question.id]);
      return { ...handleOf(task, "input_required"), inputRequests: shown(question, inputRequests) };
    }
    return {
      ...handleOf(task, "working"),
      statusMessage: `It waits for the answer to the question ${question.id}: see call_status, mcp_answer.`,
    };
  };
  const ended = (session: Session, task: TaskView, row: CallRow): Responses => {
    if (row.code === "cancelled") {
      const isDoubt = row.certainty === "in_doubt";
      if (!isDoubt) told(session.id, [row.call]);
      return { ...handleOf(task, "cancelled"), ...(isDoubt && { statusMessage: DOUBT }) };
    }
    told(session.id, [row.call]);
    const end = storedEnd(row, views) ?? {
      call: row.call,
      certainty: "not_applied",
      code: "execution_failed",
      reason: "it was found that nothing was done",
      notices: [],
    };
    if (end.code === undefined && !end.result) return { ...handleOf(task, "failed"), error: failed("Its result was erased.") };
    const answer = answerOf(end, row.name, views);
    if (task.status === "failed") return { ...handleOf(task, "failed"), error: brokenOff(answer) };
    return { ...handleOf(task, "completed"), result: toToolResult(answer) };
  };

  return {
    async get(session, id, client) {
      const { task, row } = mine(session, id) ?? {};
      if (!task || !row) return undefined;
      return ok(row.status === "ended" ? ended(session, task, row) : running(session, task, client));
    },
    async update(session, id, responses, client) {
      const { task } = mine(session, id) ?? {};
      if (!task) return undefined;
      const question = questionOf(task);
      const requests = question && openRequests(question, client);
      if (!question || !requests) return ok({}); // it asks for nothing
      const fresh = Object.entries(responses).flatMap(([name, response]) => {
        const key = formKey(name, question.round);
        return key !== undefined && Object.hasOwn(requests, key) && isAnswer(response) ? [[key, response] as const] : [];
      });
      const given = { ...partly.get(question.id), ...Object.fromEntries(fresh) };
      for (const other of partly.keys()) if (views.question(other)?.status !== "open") partly.delete(other);
      if (Object.keys(requests).some((key) => !Object.hasOwn(given, key))) {
        partly.set(question.id, given);
        return ok({});
      }
      const outcome = await answer({ id: question.id, given: { responses: given }, by: `client:${session.principal.agent}` });
      if (!outcome.ok && outcome.status === 502) return { ok: false, error: failed(outcome.message) };
      partly.delete(question.id);
      return ok({});
    },
    async cancel(session, id) {
      if (!mine(session, id)) return undefined;
      await runtime.enter(TASKS, { type: "cancel", id, by: `client:${session.principal.agent}` }).catch(() => undefined); // recorded as turn.failed
      return ok({});
    },
  };
}
