/** A client's retry that brings what its person has decided: a vote like any other, and then what comes of the call. */
import { sessionAddress } from "../../actors/address.ts";
import type { ApprovalView } from "../calls/approval-views.ts";
import type { Ask, Question } from "../calls/ask.ts";
import type { Waiting } from "../calls/listen.ts";
import type { CallEnd } from "../calls/open-calls.ts";
import { personsVote } from "../calls/persons-vote.ts";
import type { CallViews } from "../calls/views.ts";
import { decisionOf } from "../mcp/upstream/decision-form.ts";
import type { RequestState } from "../mcp/upstream/request-state.ts";
import type { Runtime } from "../runtime/turn.ts";
import { DECISION } from "./parked.ts";
import { isAnswer } from "./read-given.ts";

export interface DecidedPorts {
  readonly runtime: Pick<Runtime, "enter">;
  readonly views: Pick<CallViews, "approval">;
  /** What became of a call that runs, or has ended. */
  readonly later: (call: string, waiting: Waiting) => CallEnd | Promise<CallEnd> | undefined;
  readonly isOpen: (call: string) => boolean;
  readonly redact: (text: string) => string;
}

/** What a call is told that still waits for people, or of which people did not decide in time. */
export function pendingEnd(call: string, id: string, views: Pick<CallViews, "approval">): CallEnd {
  const approval = views.approval(id);
  const open = approval?.status === "pending" && { expiresAt: approval.expiresAt };
  return { call, certainty: "not_applied", code: "approval_pending", approval: id, ...open, notices: [] };
}

/** `ask`: makes the identical call, which uses the approval once. */
export function withDecision(ask: Ask, { runtime, views, later, isOpen, redact }: DecidedPorts) {
  const settled = (question: Question, { id, callId: call, status, execution }: ApprovalView, waiting: Waiting) => {
    if (execution) return later(execution.callId, waiting);
    if (status === "pending" || status === "expired") return pendingEnd(call, id, views);
    if (status !== "approved")
      return { call, certainty: "not_applied", code: "approval_denied", approval: id, notices: [] } satisfies CallEnd;
    const { requestState: _s, inputResponses: _r, ...identical } = question;
    return ask(identical);
  };

  return async (
    question: Question,
    { approval: id, call }: Extract<RequestState, { approval: string }>,
    waiting: Waiting,
  ): Promise<CallEnd | undefined> => {
    const approval = views.approval(id);
    if (!approval) return undefined;
    const given = question.inputResponses ?? {};
    const response = Object.hasOwn(given, DECISION) ? given[DECISION] : undefined;
    if (approval.status === "pending" && response === undefined)
      return { call, certainty: "not_applied", notices: [], parked: { approval: id } }; // asked again
    const end = isOpen(call) ? later(call, waiting) : undefined;
    const said = isAnswer(response) ? decisionOf(response) : undefined;
    if (said)
      await runtime
        .enter(sessionAddress(approval.sessionId), personsVote(approval, question.caller.agent, said, redact))
        .catch(() => undefined); // recorded as turn.failed
    if (end) return end;
    const now = views.approval(id);
    return now && settled(question, now, waiting);
  };
}
