/** Tells people of a request for an approval: the client's own person by a form, everybody else by the webhook. What they say enters as a command. */
import type { ApprovalView, ApprovalViews } from "../calls/approval-views.ts";
import { askingText } from "../calls/approval-words.ts";
import type { OpenCalls } from "../calls/open-calls.ts";
import { showsDecision } from "../calls/people-wait.ts";
import { personsVote } from "../calls/persons-vote.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { AskPeople } from "./perform.ts";

export interface AskPeoplePorts {
  readonly runtime: Pick<Runtime, "enter">;
  readonly openCalls: Pick<OpenCalls, "get" | "park">;
  readonly views: Pick<ApprovalViews, "approval">;
  readonly now: () => number;
  readonly redact: (text: string) => string;
  /** Never rejects. */
  readonly notify: (approval: ApprovalView) => void;
}

export function createAskPeople({ runtime, openCalls, views, now, redact, notify }: AskPeoplePorts) {
  return ({ approval: id, call, seats }: AskPeople, session: string): void => {
    const approval = views.approval(id);
    if (!approval) return;
    notify(approval);
    const open = openCalls.get(call);
    if (!open || !seats.includes("client")) return;
    const { askPerson, agent, answered } = open;
    if (!askPerson || !answered) {
      // The retry of the request brings the decision.
      if (showsDecision(open)) openCalls.park({ call, certainty: "not_applied", notices: [], parked: { approval: id } });
      return;
    }
    const timeoutMs = Math.max(1, approval.expiresAt - now());
    void askPerson({ message: askingText(approval), timeoutMs, signal: answered }).then((said) => {
      if (said) runtime.enter(session, personsVote(approval, agent, said, redact)).catch(() => undefined); // recorded as turn.failed
    });
  };
}
