/** Tells people of a request for an approval: the client's own person by a form, everybody else by the webhook. What they say enters as a command. */
import type { ApprovalView, ApprovalViews } from "../calls/approval-views.ts";
import type { OpenCalls } from "../calls/open-calls.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { AskPeople } from "./perform.ts";

export interface AskPeoplePorts {
  readonly runtime: Pick<Runtime, "enter">;
  readonly openCalls: Pick<OpenCalls, "get">;
  readonly views: Pick<ApprovalViews, "approval">;
  readonly now: () => number;
  readonly redact: (text: string) => string;
  /** Never rejects. */
  readonly notify: (approval: ApprovalView) => void;
}

const MAX_ARGUMENTS = 2000;
const MAX_WORDS = 1000;

export function createAskPeople({ runtime, openCalls, views, now, redact, notify }: AskPeoplePorts) {
  return ({ approval: id, call, seats }: AskPeople, session: string): void => {
    const approval = views.approval(id);
    if (!approval) return;
    notify(approval);
    const { askPerson, agent, answered } = openCalls.get(call) ?? {};
    if (!askPerson || !answered || !seats.includes("client")) return;
    const timeoutMs = Math.max(1, approval.expiresAt - now());
    void askPerson({ message: messageOf(approval), timeoutMs, signal: answered }).then((said) => {
      if (!said) return;
      const { verdict, instructions } = said;
      const payload = instructions === undefined ? {} : { instructions: redact(instructions).slice(0, MAX_WORDS) };
      const vote = {
        type: "vote",
        approval: id,
        by: `client:${agent}`,
        channel: "client",
        verdict,
        payload,
        arguments: approval.arguments,
      };
      runtime.enter(session, vote).catch(() => undefined); // recorded as turn.failed
    });
  };
}

function messageOf({ name, server, tool, arguments: args, reasons, risk, attempt, prior }: ApprovalView): string {
  const before = prior ? ` This is attempt ${attempt}; the last one failed (${prior.failure}).` : "";
  return `May ${tool} of ${server} (${name}) be called? Risk: ${risk}. Why you are asked: ${reasons.join("; ")}.${before}\nArguments: ${JSON.stringify(args ?? {}).slice(0, MAX_ARGUMENTS)}`;
}
