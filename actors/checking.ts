/** What a session keeps of a call while hooks are asked about it, and what they leave to tell. */
import type { Delivery, Via } from "../events/delivery.ts";
import type { Narrowing, Observed } from "../events/policy.ts";
import type { Taints } from "./taint.ts";

/** It is judged once more by this. */
export interface Checking {
  readonly name: string;
  readonly tool: string;
  readonly digest: string;
  readonly timeoutMs: number;
  readonly via?: Via;
  readonly deliver?: Delivery;
  readonly observed?: Observed;
  readonly narrow?: Narrowing;
  /** What its session will have read with it. */
  readonly taints?: Taints;
}
/** The payload of `call.checked`. */
export interface Checked {
  /** Redacted; given where they were rewritten, and where the call is decided inside the turn. */
  readonly arguments?: unknown;
  /** Why the call is blocked, for the agent. */
  readonly reason?: string;
}
