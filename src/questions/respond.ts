/** Answers a round of questions as it was treated: from defaults, by a model, by the client's person, by an operator; or declines it. */
import { QUESTIONS, serverAddress } from "../../actors/address.ts";
import { elicitationOf } from "../../actors/catalogue.ts";
import { readForm } from "../../actors/elicit/form.ts";
import type { QuestionsState } from "../../actors/questions-commands.ts";
import type { ServerEffect } from "../../actors/server-commands.ts";
import type { Elicitation, Responder } from "../../events/elicitation.ts";
import type { OpenCall, OpenCalls } from "../calls/open-calls.ts";
import type { AskResponder } from "../llm/responders.ts";
import type { InputRequest } from "../mcp/downstream/downstream.ts";
import type { Clock } from "../runtime/timers.ts";
import type { Runtime } from "../runtime/turn.ts";
import { type Answered, askedForms, byPolicy, completed, declined, recordsOf, responsesOf } from "./answers.ts";
import { LATE, orLate } from "./or-late.ts";
import { messagesOf, type Responses, type Round, type Rounds } from "./rounds.ts";

export type Respond = Extract<ServerEffect, { readonly type: "respond" }>;
type Question = Respond["asked"]["questions"][number];

export interface RespondPorts {
  readonly runtime: Pick<Runtime, "enter" | "catalogue" | "stateOf">;
  readonly clock: Clock;
  readonly openCalls: Pick<OpenCalls, "get">;
  readonly rounds: Rounds;
  readonly models: Readonly<Record<"llm" | "conversation", AskResponder>>;
  /** What was said of a call to models: where it goes, and its arguments without secrets. */
  readonly shownCall: (call: string) => Parameters<AskResponder>[0]["calls"][number] | undefined;
  /** What an operator answers to a question of the ledger; undefined when nobody does in time. */
  readonly operator: (question: string) => Promise<Responses | undefined>;
  /** Takes secrets out of a form before a person sees it. */
  readonly conceal: (request: InputRequest, session: string) => InputRequest;
  readonly redact: (text: string) => string;
}

const withdrawn = (key: string, by: string): Answered => ({
  response: { action: "cancel" },
  given: { key, action: "cancel", by, rule: "withdrawn", fields: [] },
});

export function createRespond(ports: RespondPorts): (effect: Respond) => void {
  const { runtime, openCalls, rounds, clock } = ports;

  /** Ends by itself after so long; 0: at the latest when no call lasts any longer. */
  const within = async <T>(
    ms: number,
    outer: AbortSignal,
    ask: (signal: AbortSignal, ms: number) => Promise<T>,
  ): Promise<T | typeof LATE> => {
    const limit = new AbortController();
    const stop = () => limit.abort("cancelled");
    if (outer.aborted) stop();
    else outer.addEventListener("abort", stop, { once: true });
    const most = runtime.catalogue().limits.maxTimeoutMs;
    const allowed = ms > 0 ? Math.min(ms, most) : most;
    try {
      return await orLate(
        clock,
        allowed,
        () => ask(limit.signal, allowed),
        () => limit.abort(LATE),
      );
    } finally {
      outer.removeEventListener("abort", stop);
    }
  };

  const byPerson = async (question: Question, request: InputRequest, open: OpenCall | undefined, round: Round, policy: Elicitation) => {
    const { key } = question;
    const { elicit, session = "" } = open ?? {};
    if (!elicit) return declined(key, "client", "no-responder");
    const { message, requestedSchema } = ports.conceal(request, session).params as {
      message?: string;
      requestedSchema?: Readonly<Record<string, unknown>>;
    };
    const form = { message: message ?? "", requestedSchema: requestedSchema ?? { type: "object", properties: {} } };
    const said = await within(policy.responderTimeoutMs, round.signal, (signal, timeoutMs) => elicit({ ...form, timeoutMs, signal }));
    if (round.signal.aborted) return withdrawn(key, "client");
    if (said === LATE || said === undefined) return declined(key, "client", "timeout");
    if (said.action !== "accept") return declined(key, "client", "declined");
    return completed(key, "client", request, said.content ?? {}, policy);
  };

  const byModel = async (
    responder: "llm" | "conversation",
    question: Question,
    request: InputRequest,
    round: Round,
    policy: Elicitation,
  ) => {
    const { key, defaulted = [], withheld = [] } = question;
    const calls = round.calls.flatMap((call) => ports.shownCall(call) ?? []);
    const sessions = new Set(round.calls.map((call) => openCalls.get(call)?.session));
    const [session] = sessions;
    const ask = {
      message: readForm(request.params).message,
      form: request.params["requestedSchema"],
      fields: question.fields.filter(({ name }) => !defaulted.includes(name)),
      withheld,
      calls,
      session: sessions.size === 1 ? session : undefined,
    };
    const said = await within(policy.responderTimeoutMs, round.signal, (signal) => ports.models[responder]({ ...ask, signal }));
    if (said === LATE) return declined(key, responder, "timeout");
    if (said.action === "cancel") return withdrawn(key, responder);
    if (said.action === "decline") return declined(key, responder, "declined");
    return completed(key, responder, request, said.content, policy, withheld);
  };

  /** Undefined when nobody answers in time, or it is needed no more. */
  const byOperator = ({ questionId: id, signal }: Round): Promise<Responses | undefined> => {
    const cancel = () => void runtime.enter(QUESTIONS, { type: "cancel", id, reason: "it was withdrawn" }).catch(() => undefined); // recorded as turn.failed
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
    return ports.operator(id).finally(() => signal.removeEventListener("abort", cancel));
  };

  const one = async (
    question: Question,
    round: Round,
    policy: Elicitation,
    operator: Promise<Responses | undefined>,
  ): Promise<Answered> => {
    const request = round.requests[question.key];
    if (!request) return declined(question.key, "policy", "unknown");
    if (question.treatment !== "respond") return byPolicy(question, request, policy);
    const responder: Responder | undefined = question.responder;
    if (responder === "client") return byPerson(question, request, openCalls.get(round.calls[0] ?? ""), round, policy);
    if (responder === "llm" || responder === "conversation") return byModel(responder, question, request, round, policy);
    const response = (await operator)?.[question.key];
    if (round.signal.aborted) return withdrawn(question.key, "operator");
    if (response?.action !== "accept") return declined(question.key, "operator", response ? "declined" : "timeout");
    return completed(question.key, "operator", request, response.content ?? {}, policy);
  };

  const answer = async ({ call, server, asked }: Respond, round: Round) => {
    const policy = elicitationOf(runtime.catalogue(), server);
    const operator = asked.way === "operator" ? byOperator(round) : Promise.resolve(undefined);
    const calls = [call, ...(asked.also ?? [])];
    const resume = calls.map((each) => openCalls.get(each)?.pause?.());
    const failed = ({ key, responder }: Question) => declined(key, responder ?? "policy", "failed");
    const answers = await Promise.all(
      asked.questions.map((question) => one(question, round, policy, operator).catch(() => failed(question))),
    );
    for (const go of resume) go?.();
    const given = answers.map((each) => each.given);
    // What was not even looked at, for there was too much of it, is declined as well.
    const unread = Object.keys(round.requests).map((key) => declined(key, "policy", "unread"));
    const responses = { ...responsesOf(unread), ...responsesOf(answers) };
    const records = recordsOf(askedForms(asked.questions, messagesOf(round.requests, ports.redact)), given);
    for (const each of calls) {
      const open = openCalls.get(each);
      if (open) open.records = [...(open.records ?? []), ...records];
    }
    const open = openCalls.get(call);
    if (open && round.source === "mrtr")
      open.leg = { inputResponses: responses, ...(round.requestState !== undefined && { requestState: round.requestState }) };
    const timeoutMs = open?.timeoutMs ?? runtime.catalogue().limits.defaultTimeoutMs;
    await runtime
      .enter(serverAddress(server), { type: "responded", calls, source: round.source, answers: given, timeoutMs })
      .catch(() => undefined); // recorded as turn.failed
    round.reply?.(responses, records);
  };

  return (effect) => {
    const { call, asked } = effect;
    const round = rounds.get(call);
    if (!round) return; // it was asked of a process that is gone
    const isTurnedDown = asked.way === "operator" && !(round.questionId in (runtime.stateOf(QUESTIONS) as QuestionsState).open);
    if (isTurnedDown) return; // no operator hears of it: how it is answered instead follows
    rounds.delete(call);
    void answer(effect, round);
  };
}
