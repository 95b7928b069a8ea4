/** The one way to answer a question that waits in the ledger, for the agent, its client, and operators: checked, written down, then sent. Once. */
import { QUESTIONS } from "../../actors/address.ts";
import { elicitationOf } from "../../actors/catalogue.ts";
import { authorise } from "../../actors/policy/allow.ts";
import type { QuestionsState } from "../../actors/questions-commands.ts";
import type { GivenAnswer } from "../../events/elicitation.ts";
import { scopeOf } from "../calls/admission.ts";
import { listen, type Waiting } from "../calls/listen.ts";
import type { CallEnd, OpenCalls } from "../calls/open-calls.ts";
import type { QuestionView } from "../calls/question-views.ts";
import type { CallViews } from "../calls/views.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { Kept, KeptQuestion } from "./kept.ts";
import { type Given, readGiven } from "./read-given.ts";
import { reopen } from "./reopen.ts";
import type { Responses } from "./rounds.ts";

export interface AnswerRequest {
  readonly id: string;
  readonly given: Given;
  /** `agent:NAME`, `client:NAME`, an operator, `cli:UID`. */
  readonly by: string;
  /** The agent answers for itself: decisions need its user. */
  readonly isAgent?: true;
  /** Who waits for the outcome of the call. */
  readonly waiter?: Waiting;
}
/** Why an answer was turned down before anything was sent. */
export type Rejection = "unknown" | "malformed" | "form" | "decision-without-user" | "refused" | "settled" | "not-connected";
/** 403: the call may not be made any more, or not answered by whoever wants to. */
type Unanswered = 403 | 404 | 409 | 422 | 502;
export type AnswerOutcome =
  /** `end`: of the call, where somebody waits for it. */
  | { readonly ok: true; readonly status: "answered" | "declined"; readonly question: QuestionView; readonly end?: Promise<CallEnd> }
  /** Nothing was sent; with 403, 422 and 502 the question stays open. */
  | { readonly ok: false; readonly status: Unanswered; readonly message: string; readonly needsUser?: true };

export interface AnswerPorts {
  readonly runtime: Pick<Runtime, "enter" | "catalogue" | "stateOf" | "now">;
  readonly views: Pick<CallViews, "question" | "lastUserTurn">;
  readonly kept: Kept<KeptQuestion>;
  readonly openCalls: OpenCalls;
  readonly digest: (value: unknown) => string;
  /** Resolves with whether the server is connected, after a moment if need be. */
  readonly connected: (server: string) => Promise<boolean>;
  /** Of a question that waits in this process, or for a task: who takes the answers. Returns the way to take them back. */
  readonly hand: (question: QuestionView, responses: Responses, given: readonly GivenAnswer[]) => () => void;
}

const SETTLED: Readonly<Record<Exclude<QuestionView["status"], "open">, string>> = {
  answered: "it was answered already",
  declined: "it was declined already",
  expired: "nobody answered it in time",
  lapsed: "its server no longer knows it",
  cancelled: "it was cancelled",
};
const settledText = ({ id, status, reason }: QuestionView): string =>
  `The question ${id} is not open: ${status === "open" ? "it is being answered just now" : SETTLED[status]}${reason ? ` (${reason})` : ""}. Nothing was sent.`;
const nothingSent = (call: string): CallEnd => ({ call, certainty: "not_applied", code: "internal", notices: [] });
const refuse = (status: Unanswered, message: string): AnswerOutcome => ({ ok: false, status, message });

export function createAnswerQuestion(ports: AnswerPorts) {
  const { runtime, views, kept, openCalls, digest } = ports;
  const isOpen = (id: string) => id in (runtime.stateOf(QUESTIONS) as QuestionsState).open;

  return async (request: AnswerRequest): Promise<AnswerOutcome> => {
    const { id, given, by, waiter } = request;
    const question = views.question(id);
    if (!question) return refuse(404, `There is no question "${id}".`);
    if (!isOpen(id)) return refuse(409, settledText(question));
    if (request.isAgent && question.way === "operator")
      return refuse(403, `The question ${id} is put to an operator: nobody else answers it. Nothing was sent.`);
    const sealed = kept.get(id);
    if (!sealed) {
      await runtime.enter(QUESTIONS, { type: "lapse", id, reason: "what it takes to go on with its call is gone" });
      return refuse(
        409,
        `The question ${id} has lapsed: what it takes to go on with its call is gone. Nothing was sent; make the call again.`,
      );
    }
    const read = readGiven(sealed, given, by, elicitationOf(runtime.catalogue(), question.server).defaults);
    if ("message" in read) return refuse(422, read.message);
    // In the session that asked, or in the one that has come in its place.
    const spoke = [question.sessionId, waiter?.session ?? ""].some((session) => (views.lastUserTurn(session) ?? 0) > question.createdAt);
    const unheard = request.isAgent && !read.isDecline && needsUser(question) && !spoke;
    if (unheard) return { ok: false, status: 422, message: decisionText(question), needsUser: true };
    const isSentByUs = question.source === "mrtr" && question.way !== "operator";
    const isForServer = isSentByUs || question.task !== undefined;
    if (isForServer && !(await ports.connected(question.server)))
      return refuse(
        502,
        `The server ${question.server} is not connected, so nothing can be sent. The question stays open: answer again later.`,
      );
    if (!isOpen(id)) return refuse(409, settledText(views.question(id) ?? question)); // somebody was faster
    if (waiter?.signal?.aborted)
      return refuse(409, `Nobody waits for the answer to ${id} any more. Nothing was sent, the question stays open.`);
    // It goes out anew: by the rules of this moment.
    if (isSentByUs && !authorise(runtime.catalogue(), sealed.call.name, { ...scopeOf(sealed.call), via: "queue" }).allowed) {
      const denied = `The call of the question ${id} may not be made any more. Nothing was sent`;
      if (!read.isDecline) return refuse(403, `${denied}; the question stays open until its time runs out, or until it is declined.`);
      await runtime.enter(QUESTIONS, { type: "cancel", id, reason: "it was declined, and its call may not be made any more" });
      return refuse(409, `${denied}, and the call has ended.`);
    }

    const responses = { ...sealed.responses, ...read.responses };
    const answers = [...sealed.given, ...read.given];
    const { call } = sealed;
    const open = isSentByUs ? reopen(sealed, question, responses, answers, waiter) : undefined;
    const end = open && waiter && listen(open, waiter, runtime.enter);
    const takeBack = open ? () => void openCalls.end(nothingSent(call.id)) : ports.hand(question, responses, answers);
    if (open) openCalls.add(open);
    const about = { id, by, answers, timeoutMs: call.timeoutMs, ...(waiter && isSentByUs && { claimed: true }) };
    const command = read.isDecline ? { type: "decline", ...about } : { type: "answer", ...about, digest: digest(responses) };
    try {
      await runtime.enter(QUESTIONS, command);
    } catch {
      takeBack();
      return refuse(409, `The question ${id} could not be answered: something went wrong inside toolcrib. Nothing was sent.`);
    }
    if (isOpen(id)) {
      takeBack();
      return refuse(409, `The question ${id} has just run out of time. Nothing was sent.`);
    }
    const status = read.isDecline ? "declined" : "answered";
    return { ok: true, status, question, ...(end && { end }) };
  };
}

/** Only a person may say yes or no, and to an empty form nothing else can be said. */
const needsUser = ({ fields }: QuestionView): boolean => fields.length === 0 || fields.some(({ decision }) => decision);

function decisionText({ fields, id }: QuestionView): string {
  const names = fields.filter(({ decision }) => decision).map(({ name }) => `"${name}"`);
  const what = names.length > 0 ? `Only the user may decide ${names.join(", ")}` : "Only the user may agree to it";
  return `${what}, and has not spoken since the question ${id} was asked. Nothing was sent and it stays open: ask the user, and answer after that; the host of the agent has to record what the user says. An operator can answer it too. To decline, nobody has to be asked.`;
}
