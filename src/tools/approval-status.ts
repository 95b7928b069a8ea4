/** What `call_status` tells of an approval. */
import type { ApprovalView } from "../calls/approval-views.ts";
import { decisionText } from "../calls/approval-words.ts";

const time = (at: number): string => new Date(at).toISOString();

export function approvalStatus(approval: ApprovalView) {
  const { id, name, status, expiresAt, grantExpiresAt, execution } = approval;
  return {
    text: `${id}, ${name}: ${wordsOn(approval)}`,
    structured: {
      id,
      kind: "approval",
      tool: name,
      status,
      expiresAt: grantExpiresAt ?? expiresAt,
      ...(execution && { usedBy: execution.callId }),
    },
  };
}

function wordsOn(approval: ApprovalView): string {
  const { status, expiresAt, grantExpiresAt = 0, execution } = approval;
  if (status === "pending") return `nobody has decided yet; that can be done until ${time(expiresAt)}.`;
  if (status === "expired") return "nobody decided in time; the identical call asks again.";
  if (status !== "approved") return decisionText(approval);
  if (execution) return `approved, and used by the call ${execution.callId} (${execution.status}).`;
  return `approved. Make the identical call before ${time(grantExpiresAt)}: it then runs, once.`;
}
