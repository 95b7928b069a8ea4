/** Small rules of the server actor: twins, what a crash makes of a call, refusals. */
import { CallRejected, CallSettled, type ErrorCode, type Flight } from "../events/call.ts";

/** A call that was sent and whose outcome nobody can tell, since when. */
export type Doubt = Flight & {
  readonly since: number;
  readonly code: ErrorCode;
  /** An earlier request of it was answered: what repeats added to its arguments. */
  readonly filled?: Readonly<Record<string, string>>;
};

export const without = <T>(calls: Readonly<Record<string, T>>, call: string): Readonly<Record<string, T>> => {
  const { [call]: _, ...rest } = calls;
  return rest;
};

export type Asked = Pick<Flight, "agent" | "tool" | "digest" | "capability">;

/** A call in doubt with the same tool and arguments, younger than `since`; one of the same agent first, since only that one binds. */
export function findTwin(
  { inDoubt }: { readonly inDoubt: Readonly<Record<string, Doubt>> },
  { agent, tool, digest }: Asked,
  since: number,
) {
  const twins = Object.values(inDoubt).filter((doubt) => doubt.tool === tool && doubt.digest === digest && doubt.since > since);
  return twins.find((doubt) => doubt.agent === agent) ?? twins[0];
}

interface Interrupted extends Flight {
  readonly asked?: { readonly source: string } | undefined;
  readonly filled?: object | undefined;
}
/**
 * Nobody was there to hear the outcome: a read did nothing, anything else is in doubt. A server of 2026-07-28 that asks has ended the request, so
 * until its question is answered nothing is under way, as when nobody answers in time; unless an earlier request of the call was answered.
 */
export const interruption = ({ call, session, capability, asked, filled }: Interrupted, now: number) =>
  capability === "read" || (asked?.source === "mrtr" && filled === undefined)
    ? CallSettled({ call, session, capability, certainty: "not_applied", code: "cancelled", reason: "interrupted by a restart" })
    : CallSettled({ call, session, capability, certainty: "in_doubt", code: "in_doubt", since: now, reason: "interrupted by a restart" });

export const rejection = ({ call, session }: Pick<Flight, "call" | "session">, code: ErrorCode, reason: string, rule?: string) =>
  CallRejected({ call, session, code, reason, ...(rule !== undefined && { rule }) });

/** The identical call is in doubt: this one has to wait until somebody has looked. */
export const twinRejection = ({ call, session }: Pick<Flight, "call" | "session">, twin: Doubt) =>
  CallRejected({ call, session, code: "in_doubt", twin: twin.call, since: twin.since });
