/** The stored row of an event, and what a commit of several is. */
import type { Event } from "./define.ts";

/** An event as it stands in the log. `position` is the global order, `version` the order inside its stream. */
export interface Envelope extends Event {
  readonly position: number;
  readonly stream: string;
  readonly version: number;
  /** Milliseconds since the epoch; equal for every event of a turn. */
  readonly at: number;
  readonly turn: number;
  readonly call?: string;
  /** Hex SHA-256 over the previous row's hash and this row's columns. */
  readonly hash: string;
}

/** Must survive a power cut (`full`), or only the end of this process (`normal`). */
export type Durability = "full" | "normal";

const ALWAYS_FULL = new Set([
  "call.resolved",
  "server.proposed",
  "server.registered",
  "server.unregistered",
  "config.applied",
  "tool.accepted",
  "tool.disabled",
  "tool.enabled",
  "payload.erased",
  "secret.set",
  "secret.removed",
  "session.connected",
  "call.suspended",
  "call.resumed",
  "approval.requested",
  "approval.decided",
  "approval.resolved",
  "grant.issued",
  "grant.consumed",
]);

/** The class of one event: everything about an effect is full, reads and refusals are normal. */
export function durabilityOf({ type, data }: Event): Durability {
  if (ALWAYS_FULL.has(type) || type.startsWith("question.") || type.startsWith("task.")) return "full";
  if (type === "call.dispatched" || type === "call.repeated" || type === "call.settled")
    return (data as { capability: string }).capability === "read" ? "normal" : "full";
  return "normal";
}
