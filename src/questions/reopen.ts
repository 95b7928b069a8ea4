/** A call that waited, as this process holds it when it goes on: its arguments and the answers again, and whoever waits for its outcome. */
import { sessionAddress } from "../../actors/address.ts";
import type { GivenAnswer } from "../../events/elicitation.ts";
import type { CallEnd, Leg, OpenCall, Waiter } from "../calls/open-calls.ts";
import type { QuestionView } from "../calls/question-views.ts";
import { createStop, type StopSignal } from "../mcp/stop.ts";
import type { Runtime } from "../runtime/turn.ts";
import { recordsOf } from "./answers.ts";
import type { KeptQuestion } from "./kept.ts";

/** For its new request to us. */
export type Waiting = Pick<OpenCall, "onProgress" | "askPerson" | "answered" | "abilities" | "elicit"> & {
  readonly session: string;
  readonly signal?: StopSignal;
  /** Why it has left, where its signal does not say so. */
  readonly left?: () => unknown;
};

export function reopen(
  { call, requestState, records, asked }: KeptQuestion,
  question: QuestionView,
  inputResponses: Leg["inputResponses"],
  given: readonly GivenAnswer[],
  waiting: Omit<Waiting, "session" | "signal" | "left"> = {},
): OpenCall {
  const { server: _s, tool: _t, ...own } = call;
  const { onProgress, askPerson, answered, abilities, elicit } = waiting;
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

/** Waits for the outcome; the call goes on when it leaves. */
export function listen(
  open: OpenCall,
  { session, signal, left = () => signal?.reason }: Waiting,
  enter: Runtime["enter"],
): Promise<CallEnd> {
  return new Promise((resolve) => {
    const waiter: Waiter = {
      session,
      answer(end) {
        signal?.removeEventListener("abort", leave);
        resolve(end);
      },
    };
    const leave = () => {
      if (!open.waiters.delete(waiter)) return;
      resolve({ call: open.id, certainty: "in_doubt", code: "cancelled", reason: "nobody waits for it any more", notices: [] });
      if (open.waiters.size > 0) return;
      const command = left() === "cancelled" ? { type: "cancel", call: open.id, by: "client" } : { type: "leave", call: open.id };
      enter(sessionAddress(open.session), command).catch(() => undefined); // recorded as turn.failed
    };
    signal?.addEventListener("abort", leave, { once: true });
    open.waiters.add(waiter);
  });
}
