/** What `connect` needs besides the target. */
import type { Authorization } from "./authorization.ts";
import type { DownstreamEvents } from "./downstream.ts";
import type { Fetch } from "./fetch.ts";

/** Calls back once after `ms`; returns the way to call it off. */
export type Schedule = (callback: () => void, ms: number) => () => void;

export interface ConnectOptions {
  /** How we introduce ourselves to servers. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly events: DownstreamEvents;
  /** For everything up to the first answered handshake, a second start of the process included. */
  readonly connectTimeoutMs: number;
  /** Servers hear that they may ask (forms only). A modern one hears it with each call that accepts questions, and with no other. */
  readonly elicitation?: boolean | undefined;
  /** Tasks of servers are followed; which calls may become one is said call by call. */
  readonly tasks?: boolean | undefined;
  /** How long an older server is asked to keep a task and its outcome; default two hours. */
  readonly taskTtlMs?: number | undefined;
  /** The era found last time. `legacy` saves the question for it (expire it: an updated server still answers the legacy way). */
  readonly eraHint?: { readonly era: "legacy" | "modern" } | undefined;
  /** Our own environment, from which a child gets the allow-listed variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Marks children in their environment, so that `sweepOrphans` finds them after we were killed. */
  readonly marker: string;
  /** Where there is no /proc: a file to which the ids of started processes are appended, for `sweepOrphans`. */
  readonly pidFile?: string | undefined;
  /** Default 16 MiB. A longer message fails its call only. */
  readonly maxMessageBytes?: number | undefined;
  /** Between SIGTERM and SIGKILL; default 2,000. */
  readonly killAfterMs?: number | undefined;
  /** Takes secrets out of what a child says on stderr, before it is cut to length. */
  readonly redact?: ((text: string) => string) | undefined;
  /** For servers that an agent named. */
  readonly guardedFetch?: Fetch | undefined;
  /** Things worth a line in the log: junk on stdout, tools left out of the list. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /** HTTP only: sees to the `Authorization` header. */
  readonly authorization?: Authorization | undefined;
  /** Gives the attempt up: it rejects, and the process it started is gone by then. Without effect once connected. */
  readonly signal?: AbortSignal | undefined;
  /** Injected in tests. */
  readonly schedule?: Schedule | undefined;
}

/** The real clock. */
export const scheduleWithTimers: Schedule = (callback, ms) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};
