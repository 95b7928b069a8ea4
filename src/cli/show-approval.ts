/** One approval from the question to what became of the call, from the log. */
import type { Envelope } from "../../events/envelope.ts";
import { type ApprovalView, approvalViews } from "../calls/approval-views.ts";
import type { Reader } from "../log/reader.ts";
import { factsOf } from "./event-line.ts";
import { bold, inline, jsonText, time } from "./print.ts";
import { table } from "./table.ts";

export interface ApprovalHistory extends ApprovalView {
  readonly kind: "approval";
  /** Its own events. `ms`: since it was asked for. */
  readonly timeline: readonly (Envelope & { readonly ms: number })[];
}

export function approvalHistory(reader: Reader, id: string): ApprovalHistory | undefined {
  const view = approvalViews(reader).approval(id);
  if (!view) return undefined;
  const isIts = ({ id: of, approval, grant }: Readonly<Record<string, unknown>>) => of === id || approval === id || grant === id;
  const own = [...reader.read(`session/${view.sessionId}`)].filter(({ data }) => isIts(data as Readonly<Record<string, unknown>>));
  return {
    kind: "approval",
    ...view,
    timeline: own.map((event) => ({ ...event, ms: event.at - view.createdAt })),
    position: reader.head.position,
  };
}

export function printApproval(approval: ApprovalHistory): string {
  const { id, name, server, tool, session, agent, status, createdAt, expiresAt, reasons, risk, attempt, round, votes, timeline } = approval;
  const { prior, execution, strategy, seats, needed } = approval;
  return [
    bold(inline(`${name}  ${id}`)),
    inline(`tool       ${tool} of ${server}, risk ${risk}`),
    inline(`session    ${session}, agent ${agent}`),
    `asked      ${time(createdAt)}, to be decided until ${time(expiresAt)}`,
    ...reasons.map((reason, at) => `${(at === 0 ? "why" : "").padEnd(11)}${inline(reason)}`),
    inline(`who        ${strategy}: ${needed} of ${seats.join(", ")}`),
    inline(`status     ${status}, attempt ${attempt}, round ${round}`),
    ...(prior ? [inline(`before     ${prior.call} failed: ${prior.failure}`)] : []),
    ...votes.map(
      ({ by, verdict, at, reason, instructions }) => `vote       ${verdict} by ${by}, ${time(at)} ${inline(instructions ?? reason ?? "")}`,
    ),
    ...(execution ? [`used by    ${execution.callId}: ${execution.status}${execution.code ? ` (${execution.code})` : ""}`] : []),
    `arguments  ${approval.arguments === undefined ? "(erased, or none)" : jsonText(approval.arguments)}`,
    "",
    table(
      ["MS", "POSITION", "EVENT", "WHAT"],
      timeline.map(({ ms, position, type, data }) => [ms, position, type, factsOf(data)]),
      { last: "wrap" },
    ),
  ].join("\n");
}
