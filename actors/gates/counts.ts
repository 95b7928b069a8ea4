/** What a session has been counted for: calls of the last hour, calls that resemble each other, tools that are spent. */
import type { CallAnswered, CallRequested, ErrorCode } from "../../events/call.ts";
import type { EventOf } from "../../events/define.ts";
import type { Counted } from "../../events/limits.ts";
import type { Profile } from "../../events/policy.ts";
import { BUILTIN } from "../address.ts";

export const HOUR_MS = 3_600_000;
/** So long a silence ends what is looked at for circles. */
export const SILENCE_MS = 120_000;
/** A circle of more calls is not seen. */
export const MAX_RECENT = 64;

/** A call among those that may go round in circles. */
export interface Recent {
  readonly call: string;
  /** Of its tool and arguments. */
  readonly signature: string;
  /** What it came to; left out while it runs. */
  readonly result?: string;
}
export interface Counts {
  /** When the calls of the last hour were made, oldest first. */
  readonly calls: readonly number[];
  readonly recent: readonly Recent[];
  /** When the last of them was made. */
  readonly recentAt: number;
  /** By tool: the call that has it. */
  readonly once: Readonly<Record<string, string>>;
}
export const NOTHING_COUNTED: Counts = { calls: [], recent: [], recentAt: 0, once: {} };

/** Of the tools that look at calls, and never count. */
const LOOKING = new Set(["call_status", "resolve_call", "mcp_answer", "mcp_cancel_task"]);
/** Asked again and again by nature. */
const REPEATABLE = new Set([
  ...["mcp_list_services", "mcp_find_tools", "mcp_get_service_details", "mcp_list_resources", "search_known_services"],
  ...["list_tool_guides", "get_tool_guide", "datetime", "wait"],
]);
export interface Target {
  readonly server: string;
  readonly tool: string;
}
export const isLooking = ({ server, tool }: Target): boolean => server === BUILTIN && LOOKING.has(tool);
export const spendsRate = (target: Target, { limits }: Profile): boolean => limits.callsPerHour > 0 && !isLooking(target);
export const mayGoInCircles = (target: Target, { limits: { spin } }: Profile): boolean =>
  (spin.repetition > 1 || spin.window > 1) && !isLooking(target) && !(target.server === BUILTIN && REPEATABLE.has(target.tool));
/** Of a published name and a digest of arguments. */
export const signatureOf = ({ name, digest }: { readonly name: string; readonly digest: string }): string => `${name}\n${digest}`;
export const toolKey = ({ server, tool }: Target): string => `${server}\n${tool}`;

/** What this call is counted for; nothing in a profile that counts nothing. */
export function countedFor(target: Target, is: { once: boolean; ordered: boolean }, profile: Profile, now: number): { counted?: Counted } {
  const rate = spendsRate(target, profile);
  const spin = mayGoInCircles(target, profile);
  if (!rate && !spin && !is.once && !is.ordered) return {};
  const counted = { ...(rate && { rate }), ...(spin && { spin }), ...(is.once && { once: true as const }) };
  return { counted: { at: now, ...counted, ...(is.ordered && { order: true as const }) } };
}

/** The calls that may be part of a circle at this time. */
export const recentAt = ({ recent, recentAt: last }: Counts, now: number): readonly Recent[] => (now - last > SILENCE_MS ? [] : recent);

type Requested = Pick<EventOf<typeof CallRequested>["data"], "call" | "name" | "server" | "tool" | "digest" | "counted">;
export function withRequested(counts: Counts, requested: Requested): Counts {
  const { call, counted } = requested;
  if (!counted) return counts;
  const { at, rate, spin, once } = counted;
  return {
    ...counts,
    ...(rate && { calls: [...counts.calls.filter((before) => before + HOUR_MS > at), at] }),
    ...(spin && {
      recent: [...recentAt(counts, at), { call, signature: signatureOf(requested) }].slice(-MAX_RECENT),
      recentAt: at,
    }),
    ...(once && { once: { ...counts.once, [toolKey(requested)]: call } }),
  };
}

/** Ends of calls that were not really made. */
const UNMADE: ReadonlySet<ErrorCode> = new Set(["refused", "approval_pending", "approval_denied", "overloaded", "in_doubt"]);
const CIRCLES_NOTHING: ReadonlySet<ErrorCode> = new Set(["approval_pending", "rate_limited", "overloaded", "not_connected"]);
type Answered = EventOf<typeof CallAnswered>["data"];

export function withAnswered(counts: Counts, counted: Counted | undefined, answered: Answered): Counts {
  if (!counted) return counts;
  const { call, certainty, code, isError, resultDigest } = answered;
  const isUnmade = certainty === "not_applied" && code !== undefined && UNMADE.has(code);
  const result = resultDigest ?? code ?? certainty;
  return {
    ...counts,
    ...(counted.rate && isUnmade && { calls: withoutOne(counts.calls, counted.at) }),
    ...(counted.spin && {
      recent:
        code !== undefined && CIRCLES_NOTHING.has(code)
          ? counts.recent.filter((one) => one.call !== call)
          : counts.recent.map((one) => (one.call === call ? { ...one, result } : one)),
    }),
    ...(counted.once && (certainty === "not_applied" || isError) && { once: withoutCall(counts.once, call) }),
  };
}

export const withReleased = (counts: Counts, call: string): Counts => ({ ...counts, once: withoutCall(counts.once, call) });

const withoutCall = (once: Counts["once"], call: string): Counts["once"] =>
  Object.fromEntries(Object.entries(once).filter(([, holder]) => holder !== call));

function withoutOne(times: readonly number[], at: number): readonly number[] {
  const index = times.indexOf(at);
  return index < 0 ? times : times.toSpliced(index, 1);
}
