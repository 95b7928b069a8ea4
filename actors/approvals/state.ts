/** What a session remembers of people's decisions. */
import type { ApprovalDecided, ApprovalRequested, GrantIssued } from "../../events/approval.ts";
import type { CallRequested } from "../../events/call.ts";
import type { EventOf } from "../../events/define.ts";
import type { Taints } from "../taint.ts";

export type Cast = Pick<EventOf<typeof ApprovalDecided>["data"], "by" | "seat" | "verdict">;
export type OpenApproval = EventOf<typeof ApprovalRequested>["data"] & { readonly votes: readonly Cast[] };
export type Grant = EventOf<typeof GrantIssued>["data"];

/** A call that waits for people: what is needed to judge it again and to send it. */
export interface Asking
  extends Pick<
    EventOf<typeof CallRequested>["data"],
    "name" | "tool" | "digest" | "timeoutMs" | "via" | "deliver" | "observed" | "narrow"
  > {
  readonly approval: string;
  readonly holdUntil: number;
  /** What its session will have read with it. */
  readonly taints?: Taints;
}

/** What was said when no request waited for it any more: the identical call is told, once. */
export interface Untold {
  readonly approval: string;
  readonly name: string;
  readonly digest: string;
  readonly outcome: "denied" | "revised";
  readonly until: number;
}

/** Of one tool, for the next time people are asked. */
export interface History {
  /** How often in a row it was sent back for revision, and until when that counts. */
  readonly round?: number;
  readonly roundUntil?: number;
  /** Approved calls that failed in a row, and the last of them. */
  readonly failures?: number;
  readonly prior?: { readonly call: string; readonly failure: string };
}

export interface People {
  readonly approvals: Readonly<Record<string, OpenApproval>>;
  readonly grants: readonly Grant[];
  readonly untold: readonly Untold[];
  /** By published name. */
  readonly history: Readonly<Record<string, History>>;
}
export const NOBODY_ASKED: People = { approvals: {}, grants: [], untold: [], history: {} };
