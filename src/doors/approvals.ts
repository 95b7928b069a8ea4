/** `/v1/approvals`: what people are asked, and what they say. Every vote is an event of the session that asks. */
import { z } from "zod";
import { sessionAddress } from "../../actors/address.ts";
import { judgeVote } from "../../actors/approvals/votes.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import { Vote } from "../../events/approval.ts";
import { type ApprovalView, type ApprovalViews, STATUSES } from "../calls/approval-views.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { Vault } from "../secrets/vault.ts";
import type { KnownOperator } from "./guard.ts";
import type { Routes } from "./http.ts";
import { bodyOf, byOf, failure, statusOf } from "./operator-body.ts";

export interface ApprovalPorts {
  readonly runtime: Pick<Runtime, "enter" | "stateOf">;
  readonly views: ApprovalViews;
  readonly vault: Pick<Vault, "redactText">;
  readonly position: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** `sha256:…` of an agent's own token. */
  readonly tokenHashOf: (agent: string) => string | undefined;
}

/** Resolved ones are listed for a day. */
const LIST_MS = 86_400_000;
const MAX_WORDS = 1000;

const Decision = z.strictObject({
  verdict: z.enum([...Vote.options, "cancel"]),
  reason: z.string().max(2000).optional(),
  instructions: z.string().max(MAX_WORDS, `at most ${MAX_WORDS} characters`).optional(),
});
const APPROVAL = /^\/v1\/approvals\/([^/]+)$/;

/** As the list shows it. */
const shown = ({ position: _, sessionId: _s, ...row }: ApprovalView) => row;

const voterOf = (operator: KnownOperator) => ({ by: byOf(operator), channel: operator.tokenHash === "" ? "cli" : "rest" }) as const;

export function approvalRoutes({ runtime, views, vault, position, now, tokenHashOf }: ApprovalPorts): Routes {
  const list = (url: URL): Response => {
    const read = statusOf(url, STATUSES);
    if ("response" in read) return read.response;
    const { status } = read;
    const rows = views.approvals(now() - LIST_MS).filter((row) => status === null || row.status === status);
    return Response.json({ approvals: rows.map(shown), position: position() });
  };

  const settled = (id: string, status: number): Response => {
    const row = views.approval(id);
    return row
      ? Response.json(shown(row), { status: row.status === "pending" ? status : 200 })
      : failure(404, "tool_not_found", "It is gone.");
  };

  const withdraw = async (row: ApprovalView, by: string, roles: KnownOperator["roles"]): Promise<Response> => {
    if (!roles.includes("admin")) return failure(403, "refused", "To cancel a request needs the role admin.");
    if (row.status !== "pending") return failure(409, "refused", `It is ${row.status} already.`);
    await runtime.enter(sessionAddress(row.sessionId), { type: "withdraw", approval: row.id, by });
    return settled(row.id, 200);
  };

  const decide = async (
    row: ApprovalView,
    operator: KnownOperator,
    { verdict, ...words }: z.output<typeof Decision>,
  ): Promise<Response> => {
    const voter = voterOf(operator);
    if (operator.tokenHash !== "" && tokenHashOf(row.agent) === operator.tokenHash)
      return failure(403, "refused", "Whoever asks for an approval cannot give it: this is the agent's own token.");
    if (verdict === "cancel") return withdraw(row, voter.by, operator.roles);
    if (verdict === "revise" && !words.instructions?.trim())
      return failure(
        400,
        "invalid_arguments",
        'instructions: a revision needs them, as in {"verdict":"revise","instructions":"use the draft folder"}',
      );
    const address = sessionAddress(row.sessionId);
    const open = (runtime.stateOf(address) as SessionState).people.approvals[row.id];
    if (!open) {
      const own = row.votes.find(({ by }) => by === voter.by);
      if (own?.verdict === verdict) return settled(row.id, 200);
      return failure(409, "refused", `It is ${row.status} already.`);
    }
    const counted = judgeVote(open, voter, verdict, now());
    if (counted === "foreign") return failure(403, "refused", "None of the seats that may decide on this call is yours.");
    if (counted === "changed") return failure(409, "refused", "You have voted otherwise already; a vote is final.");
    if (counted === "repeated") return settled(row.id, 200);
    const payload = Object.fromEntries(Object.entries(words).map(([key, text = ""]) => [key, vault.redactText(text)]));
    const vote = { type: "vote", approval: row.id, ...voter, verdict, payload, arguments: row.arguments };
    await runtime.enter(address, vote); // also when it has expired: that is recorded
    return counted === "expired" ? failure(409, "refused", "It has expired: nobody decided in time.") : settled(row.id, 202);
  };

  return async (request, url, operator) => {
    const { pathname } = url;
    if (pathname === "/v1/approvals" && request.method === "GET") return list(url);
    const id = APPROVAL.exec(pathname)?.[1];
    if (id === undefined || request.method !== "POST") return undefined;
    const read = await bodyOf(request, Decision);
    if ("response" in read) return read.response;
    const row = views.approval(decodeURIComponent(id));
    return row
      ? decide(row, operator, read.body)
      : failure(404, "tool_not_found", `There is no approval ${vault.redactText(decodeURIComponent(id))}.`);
  };
}
