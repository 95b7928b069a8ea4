/** What people and agents are told of an approval: what is to be decided, that people think about it, that nobody did in time, or what they said. */
import type { ApprovalView } from "./approval-views.ts";

const MAX_WORDS = 1000;
const MAX_ARGUMENTS = 2000;
const asOneLine = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, MAX_WORDS);

/** Somebody's words, as somebody's words: whoever reads them must not take them for ours. */
const quoted = (by: string, words: string): string => `${by} says (a reviewer's words): "${asOneLine(words)}"`;

/** The decision against a call. */
export function decisionText({ name, status, votes }: ApprovalView): string {
  const verdict = status === "revised" ? "revise" : "deny";
  // At the last round a wish for a revision is a denial, and its words still help.
  const vote = votes.findLast((one) => one.verdict === verdict) ?? votes.findLast((one) => one.verdict === "revise");
  const words = vote && (vote.instructions ?? vote.reason);
  const said = vote && words ? ` ${quoted(vote.by, words)}` : "";
  if (status === "revised")
    return `A reviewer wants this call of ${name} changed before it may be made. Nothing was done.${said} Make a new call that heeds it; do not repeat this one.`;
  if (status === "cancelled") return `The request for an approval of ${name} was withdrawn. Nothing was done.`;
  return `The approval of this call of ${name} was denied. Nothing was done.${said} Do not repeat it.`;
}

/** A call that was not decided on while its request waited. `expiresAt`: milliseconds; without it nobody decided in time. */
export function pendingText(name: string, approval: string, expiresAt: number | undefined): string {
  if (expiresAt === undefined)
    return `The request for an approval of ${name} (${approval}) expired: nobody decided in time. Nothing was done; the identical call asks again.`;
  return (
    `This call of ${name} waits for an approval (${approval}), until ${new Date(expiresAt).toISOString()}. Nothing was done yet. ` +
    `Go on with something else; later look with call_status {"id":"${approval}"}, and once it is approved make the identical call again: it then runs, once.`
  );
}

/** What a person is asked. */
export function askingText({ name, server, tool, arguments: args, reasons, risk, attempt, prior }: ApprovalView): string {
  const before = prior ? ` This is attempt ${attempt}; the last one failed (${prior.failure}).` : "";
  return `May ${tool} of ${server} (${name}) be called? Risk: ${risk}. Why you are asked: ${reasons.join("; ")}.${before}\nArguments: ${JSON.stringify(args ?? {}).slice(0, MAX_ARGUMENTS)}`;
}
