/** The way in for calls whose request is answered before they end, and for a client's retry that brings the answers to our question. */
import type { Ask, Question } from "../calls/ask.ts";
import { listen, type Waiting } from "../calls/listen.ts";
import type { CallEnd, OpenCall, OpenCalls } from "../calls/open-calls.ts";
import { showsDecision } from "../calls/people-wait.ts";
import { storedEnd } from "../calls/stored-end.ts";
import { told } from "../calls/told.ts";
import type { CallViews } from "../calls/views.ts";
import type { RequestStateCodec } from "../mcp/upstream/request-state.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { AnswerOutcome, AnswerRequest } from "./answer-question.ts";
import { pendingEnd, withDecision } from "./decided.ts";
import type { WhileOffering } from "./offer.ts";
import type { ParkedResults } from "./parked.ts";
import { isAnswer } from "./read-given.ts";

export interface AskOnPorts {
  readonly runtime: Pick<Runtime, "enter" | "stateOf">;
  readonly openCalls: Pick<OpenCalls, "get">;
  readonly views: CallViews;
  readonly parked: ParkedResults;
  readonly codec: RequestStateCodec;
  readonly answer: (request: AnswerRequest) => Promise<AnswerOutcome>;
  readonly whileOffering: WhileOffering;
  readonly redact: (text: string) => string;
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

const listening = (open: OpenCall, waiting: Waiting, enter: Runtime["enter"], onCall: (call: string) => void) => {
  onCall(open.id);
  return listen(open, waiting, enter);
};

export function withQuestions(ask: Ask, ports: AskOnPorts): Ask {
  const { runtime, openCalls, views, parked, codec, answer, whileOffering } = ports;

  /** What became of the call meanwhile: it runs, waits for something else, or has ended. */
  const later = (call: string, waiting: Waiting): CallEnd | Promise<CallEnd> => {
    const open = openCalls.get(call);
    if (open) return whileOffering(waiting, (onCall) => listening(open, waiting, runtime.enter, onCall));
    const row = views.call(call);
    if (row?.status === "ended") void told(runtime, waiting.session, [call], "retry");
    return (row && storedEnd(row, views)) ?? refused(FOREIGN);
  };

  const followed: Ask = (question) =>
    whileOffering(question, (onCall) =>
      ask({
        ...question,
        onCall(call) {
          question.onCall?.(call);
          onCall(call);
        },
      }),
    );
  const asked: Ask = (question) => (question.abilities?.tasks ? followed(question) : ask(question));
  const decided = withDecision(asked, { ...ports, later, isOpen: (call) => openCalls.get(call) !== undefined });

  const retried = async (question: Question, requestState: string): Promise<CallEnd> => {
    const { caller, abilities, elicit, askPerson, signal, onProgress, inputResponses = {} } = question;
    const state = codec.open(requestState, caller.agent);
    if (state?.name !== question.name) return refused(FOREIGN);
    const waiting: Waiting = {
      session: caller.session,
      ...(signal && { signal }),
      ...(onProgress && { onProgress }),
      ...(abilities && { abilities }),
      ...(elicit && { elicit }),
      ...(askPerson && { askPerson }),
    };
    if ("approval" in state) return (await decided(question, state, waiting)) ?? refused(FOREIGN);
    const view = views.question(state.question);
    const requests = view && parked.requestsOf(view);
    if (requests && Object.keys(requests).some((key) => !(Object.hasOwn(inputResponses, key) && isAnswer(inputResponses[key]))))
      return { call: state.call, certainty: "not_applied", notices: [], parked: { question: state.question } }; // asked again
    const by = `client:${caller.agent}`;
    const outcome = await answer({ id: state.question, given: { responses: inputResponses }, by, waiter: waiting });
    if (outcome.ok && outcome.end) {
      const { end } = outcome;
      return whileOffering(waiting, (onCall) => {
        onCall(state.call);
        return end;
      });
    }
    if (outcome.ok || outcome.status === 409) return later(state.call, waiting);
    const code = outcome.status === 502 ? "not_connected" : outcome.status === 403 ? "refused" : "invalid_arguments";
    return { call: state.call, certainty: "not_applied", code, reason: outcome.message, notices: [] };
  };

  return async (question) => {
    const { requestState } = question;
    const end = await (requestState === undefined ? asked(question) : retried(question, requestState));
    if (!end.parked) return end;
    const { approval } = end.parked;
    if (approval !== undefined && !showsDecision(question)) return pendingEnd(end.call, approval, views);
    return { ...end, certainty: "answered", result: parked.of(end.parked, question.abilities, question.name) };
  };
}
