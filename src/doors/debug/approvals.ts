/** `/debug/api/approvals`: what people were asked and what they said, by log position. `?status=`. */
import { type ApprovalViews, STATUSES } from "../../calls/approval-views.ts";
import type { Reader } from "../../log/reader.ts";
import { answer, pagingOf, wordOf } from "./answers.ts";

export function listApprovals(reader: Reader, views: Pick<ApprovalViews, "approvalPage">, url: URL): Response {
  const { after, limit } = pagingOf(url);
  const status = wordOf(url, "status", STATUSES) ?? null;
  return answer({ approvals: views.approvalPage(after, limit, status), position: reader.head.position });
}
