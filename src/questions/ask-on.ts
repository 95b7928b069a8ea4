/** The way in for calls whose request is answered before they end, and for a client's retry that brings the answers to our question. */
import type { Ask, Question } from "../calls/ask.ts";
import type { CallEnd, OpenCalls } from "../calls/open-calls.ts";
import { storedEnd } from "../calls/stored-end.ts";
import type { CallViews } from "../calls/views.ts";
import type { RequestStateCodec } from "../mcp/upstream/request-state.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { AnswerOutcome, AnswerRequest } from "./answer-question.ts";
import type { ParkedResults } from "./parked.ts";
import { listen, type Waiting } from "./reopen.ts";

export interface AskOnPorts {
  readonly runtime: Pick<Runtime, "enter">;
  readonly openCalls: Pick<OpenCalls, "get">;
  readonly views: CallViews;
  readonly parked: ParkedResults;
  readonly codec: RequestStateCodec;
  readonly answer: (request: AnswerRequest) => Promise<AnswerOutcome>;
}
const refused = (reason: string): CallEnd => ({
  call: "",
  certainty: "not_applied",
  code: "invalid_arguments",
  rule: "request-state",
  reason,
  notices: [],
});
const FOREIGN = "the requestState is none that was given to you here; make the call anew without it";

export function withQuestions(ask: Ask, ports: AskOnPorts): Ask {
  const { runtime, openCalls, views, parked, codec, answer } = ports;

  /** What became of the call meanwhile: it runs, waits for something else, or has ended. */
  const later = (call: string, waiting: Waiting): CallEnd | Promise<CallEnd> => {
    const open = openCalls.get(call);
    if (open) return listen(open, waiting, runtime.enter);
    const row = views.call(call);
    return (row && storedEnd(row, views)) ?? refused(FOREIGN);
  };

  const retried = async (question: Question, requestState: string): Promise<CallEnd> => {
    const { caller, abilities, elicit, askPerson, signal, onProgress, inputResponses = {} } = question;
    const state = codec.open(requestState, caller.agent);
    const view = state && views.question(state.question);
    if (!state || view?.name !== question.name) return refused(FOREIGN);
    const waiting: Waiting = {
      session: caller.session,
      ...(signal && { signal }),
      ...(onProgress && { onProgress }),
      ...(abilities && { abilities }),
      ...(elicit && { elicit }),
      ...(askPerson && { askPerson }),
    };
    const requests = parked.requestsOf(view);
    if (requests && Object.keys(requests).some((key) => !Object.hasOwn(inputResponses, key)))
      return { call: state.call, certainty: "not_applied", notices: [], parked: { question: state.question } }; // asked again
    const by = `client:${caller.agent}`;
    const outcome = await answer({ id: state.question, given: { responses: inputResponses }, by, waiter: waiting });
    if (outcome.ok) return outcome.end ?? later(state.call, waiting);
    if (outcome.status === 409) return later(state.call, waiting);
    const code = outcome.status === 502 ? "not_connected" : "invalid_arguments";
    return { call: state.call, certainty: "not_applied", code, reason: outcome.message, notices: [] };
  };

  return async (question) => {
    const end = await (question.requestState === undefined ? ask(question) : retried(question, question.requestState));
    return end.parked ? { ...end, certainty: "answered", result: parked.of(end.parked, question.abilities) } : end;
  };
}
