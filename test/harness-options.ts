/** What a test may say of the kernel that it wants. */
import type { Elicitation } from "../events/elicitation.ts";
import type { Policy } from "../events/policy.ts";
import type { Limits, ServerPolicy, Surface, TaskOffer } from "../events/registry.ts";
import type { RunHook } from "../src/effects/hook-reply.ts";

/** As the configuration has it by default, with fewer attempts. */
export const CONNECTING = { connectRetryCount: 2, connectRetryBaseDelayMs: 1000, sweepSeconds: 60, surfaceRefreshSeconds: 300 };

export interface HarnessOptions<Server, OpenLog> {
  readonly settings?: Partial<typeof CONNECTING>;
  readonly servers?: Readonly<Record<string, Server>>;
  readonly policies?: Readonly<Record<string, Partial<ServerPolicy>>>;
  readonly limits?: Partial<Limits>;
  readonly surface?: Partial<Surface>;
  readonly policy?: Partial<Policy>;
  readonly elicitation?: Partial<Elicitation>;
  readonly offer?: Partial<TaskOffer>;
  /** What hooks say. */
  readonly runHook?: RunHook;
  readonly secrets?: readonly { name: string; value: string }[];
  /** A log that an earlier harness wrote. */
  readonly log?: OpenLog;
}
