/** What the client's own person has said, as the session is told: the same however the form reached that person. */
import type { PersonAnswer } from "../mcp/upstream/decision-form.ts";
import type { ApprovalView } from "./approval-views.ts";

const MAX_WORDS = 1000;

/** `agent`: whose client it is. */
export const personsVote = (
  { id, arguments: args }: ApprovalView,
  agent: string,
  { verdict, instructions }: PersonAnswer,
  redact: (text: string) => string,
) => ({
  type: "vote",
  approval: id,
  by: `client:${agent}`,
  channel: "client",
  verdict,
  payload: instructions === undefined ? {} : { instructions: redact(instructions).slice(0, MAX_WORDS) },
  arguments: args,
});
