/** `/v1/questions`: what servers ask in the middle of calls, and answers of operators. */
import { z } from "zod";
import { QUESTION_STATUSES, type QuestionView, type QuestionViews } from "../calls/question-views.ts";
import type { Vault } from "../secrets/vault.ts";
import type { KnownOperator } from "./guard.ts";
import type { Routes } from "./http.ts";
import { bodyOf, byOf, failure, statusOf } from "./operator-body.ts";

/** What somebody outside says to a question. */
export interface OutsideAnswer {
  readonly id: string;
  readonly given: { readonly answers: unknown } | { readonly decline: true };
  /** As events name them. */
  readonly by: string;
}
/** 403 the call may not be made any more, 404 unknown, 409 settled or expired, 422 the answers do not fit the form, 502 it cannot be sent. */
export type OutsideAnswered =
  | { readonly ok: true; readonly status: "answered" | "declined" }
  | { readonly ok: false; readonly status: 403 | 404 | 409 | 422 | 502; readonly message: string };

export interface QuestionRoutePorts {
  readonly views: QuestionViews;
  readonly vault: Pick<Vault, "redactText">;
  readonly position: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** `sha256:…` of an agent's own token. */
  readonly tokenHashOf: (agent: string) => string | undefined;
  /** Never rejects. */
  readonly answerQuestion: (answer: OutsideAnswer) => Promise<OutsideAnswered>;
}

/** Settled ones are listed for a day. */
const LIST_MS = 86_400_000;
const QUESTION = /^\/v1\/questions\/([^/]+)$/;
const CODES = { 403: "refused", 404: "tool_not_found", 409: "refused", 422: "invalid_arguments", 502: "execution_failed" } as const;

/** The values of the form may be anything: they are judged by it. */
const Given = z
  .strictObject({ answers: z.unknown().optional(), decline: z.literal(true).optional() })
  .refine(({ answers, decline }) => (answers === undefined) !== (decline === undefined), {
    message: 'either {"answers":{"FIELD":"VALUE"}} or {"decline":true}',
  });

/** As the list shows it. */
const shown = ({ position: _, sessionId: _s, ...row }: QuestionView) => row;

export function questionRoutes({ views, vault, position, now, tokenHashOf, answerQuestion }: QuestionRoutePorts): Routes {
  const list = (url: URL): Response => {
    const read = statusOf(url, QUESTION_STATUSES);
    if ("response" in read) return read.response;
    const rows = views.questions(now() - LIST_MS).filter(({ status }) => read.status === null || status === read.status);
    return Response.json({ questions: rows.map(shown), position: position() });
  };

  const answer = async (question: QuestionView, operator: KnownOperator, given: OutsideAnswer["given"]): Promise<Response> => {
    if (operator.tokenHash !== "" && tokenHashOf(question.agent) === operator.tokenHash)
      return failure(403, "refused", "This is the agent's own token: it answers with mcp_answer, and not as an operator.");
    const answered = await answerQuestion({ id: question.id, given, by: byOf(operator) });
    if (!answered.ok) return failure(answered.status, CODES[answered.status], answered.message);
    return Response.json({ ...shown(views.question(question.id) ?? question), status: answered.status });
  };

  return async (request, url, operator) => {
    const { pathname } = url;
    if (pathname === "/v1/questions" && request.method === "GET") return list(url);
    const named = QUESTION.exec(pathname)?.[1];
    if (named === undefined || request.method !== "POST") return undefined;
    const read = await bodyOf(request, Given);
    if ("response" in read) return read.response;
    const id = decodeURIComponent(named);
    const question = views.question(id);
    if (!question) return failure(404, "tool_not_found", `There is no question ${vault.redactText(id)}.`);
    const { answers, decline } = read.body;
    return answer(question, operator, decline ? { decline } : { answers });
  };
}
