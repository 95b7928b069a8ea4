/** Who may decide, whether a vote counts, and what the votes come to. */
import type { ApprovalOutcome, Channel, Vote } from "../../events/approval.ts";
import type { ApprovalPolicy, Risk } from "../../events/policy.ts";
import { exceeds } from "../gates/risk.ts";
import type { Cast, OpenApproval } from "./state.ts";

/** Any operator. */
const OPERATOR = "operator";
/** The requesting client's own person. */
export const CLIENT = "client";

export interface Roster {
  /** Those that can be reached. */
  readonly seats: readonly string[];
  readonly needed: number;
}

export const isOver = ({ expiresAt }: { readonly expiresAt: number }, now: number): boolean => expiresAt <= now;

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Undefined: not enough people can be reached, and waiting would not change that. What is needed counts every configured seat. */
export function rosterOf({ approvers, strategy, clientMaxRisk }: ApprovalPolicy, risk: Risk, hasClient: boolean): Roster | undefined {
  const named = approvers.map((entry) => entry.trim()).filter((entry) => entry !== "");
  // One person fills one seat; `operator` is anybody, so several of them are several people.
  const all = named.filter((entry, at) => entry === OPERATOR || named.findIndex((other) => same(other, entry)) === at);
  const seats = all.filter((entry) => entry !== CLIENT || (hasClient && !exceeds(risk, clientMaxRisk)));
  const needed = strategy === "any" ? 1 : strategy === "all" ? all.length : Math.floor(all.length / 2) + 1;
  return all.length === 0 || seats.length < needed ? undefined : { seats, needed };
}

/** `by`: `operator:NAME`, `cli:UID` or `client:AGENT`. */
export interface Voter {
  readonly by: string;
  readonly channel: Channel;
}
export type Counted =
  | { readonly seat: string }
  /** The same person has said the same, or something else; or has no seat. */
  | "repeated"
  | "changed"
  | "foreign"
  | "expired";

/** Whether a vote counts, and for which seat: one's own before one that anybody may fill. */
export function judgeVote(open: OpenApproval, { by, channel }: Voter, verdict: Vote, now: number): Counted {
  const own = open.votes.find((vote) => vote.by === by);
  if (own) return own.verdict === verdict ? "repeated" : "changed";
  if (isOver(open, now)) return "expired";
  const free = [...open.seats];
  for (const { seat } of open.votes) free.splice(free.indexOf(seat), 1);
  const name = by.slice(by.indexOf(":") + 1);
  const isOwn = (seat: string) => channel === "rest" && seat !== OPERATOR && seat !== CLIENT && same(seat, name);
  const anybodys = channel === "client" ? CLIENT : OPERATOR;
  const seat = free.find(isOwn) ?? free.find((other) => other === anybodys);
  return seat === undefined ? "foreign" : { seat };
}

/** Undefined while it is open. Whoever sends it back for revision has not approved. */
export function tally({ strategy, seats, needed, round, maxRounds }: OpenApproval, votes: readonly Cast[]): ApprovalOutcome | undefined {
  const count = (verdict: Vote) => votes.filter((vote) => vote.verdict === verdict).length;
  const refusal = (): ApprovalOutcome => (count("deny") > 0 || count("revise") === 0 || round >= maxRounds ? "denied" : "revised");
  if (needed <= 0) return "denied";
  if (strategy === "any") return votes.length === 0 ? undefined : count("deny") + count("revise") > 0 ? refusal() : "approved";
  if (count("approve") >= needed) return "approved";
  if (strategy === "all") return count("deny") > 0 || votes.length >= needed ? refusal() : undefined;
  return count("approve") + seats.length - votes.length < needed ? refusal() : undefined;
}
