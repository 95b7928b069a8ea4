/** A call that waited, as this process holds it when it goes on: its arguments again, and the answers that it waited for. */
import type { GivenAnswer } from "../../events/elicitation.ts";
import type { Waiting } from "../calls/listen.ts";
import type { Leg, OpenCall } from "../calls/open-calls.ts";
import type { QuestionView } from "../calls/question-views.ts";
import { createStop } from "../mcp/stop.ts";
import { recordsOf } from "./answers.ts";
import { FOLLOWS, type KeptQuestion } from "./kept.ts";

export function reopen(
  { call, requestState, records, asked }: KeptQuestion,
  question: QuestionView,
  inputResponses: Leg["inputResponses"],
  given: readonly GivenAnswer[],
  waiting: Omit<Waiting, "session" | "signal" | "left"> = {},
): OpenCall {
  const { server: _s, tool: _t, isFollowed, ...own } = call;
  const { onProgress, askPerson, answered, abilities = isFollowed && FOLLOWS, elicit } = waiting;
  const { sessionId: session, agent, server, way, source } = question;
  return {
    ...own,
    ...(onProgress && { onProgress }),
    ...(askPerson && { askPerson }),
    ...(answered && { answered }),
    ...(abilities && { abilities }),
    ...(elicit && { elicit }),
    waiters: new Set(),
    stop: createStop(),
    records: [...records, ...recordsOf(asked, given)],
    leg: {
      inputResponses,
      ...(requestState !== undefined && { requestState }),
      question: { id: question.id, call: call.id, session, agent, server, way, source },
    },
  };
}
