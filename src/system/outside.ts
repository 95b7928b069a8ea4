/** Hooks and webhooks as the configuration in force has them, with their secrets, so only in memory; and how hooks are run. */
import type { Outside, Unusable } from "../config/outside.ts";
import type { RunHook } from "../effects/hook-reply.ts";
import { createHookRunner, type HookRunnerPorts } from "./hook-runner.ts";

export interface OutsideInForce {
  now(): Outside;
  change(next: Outside): void;
  /** Whom a profile's requests for approvals are told to. */
  webhookOf(profile: string): string | Unusable | undefined;
  readonly runHook: RunHook;
}

export function createOutside(ports: Omit<HookRunnerPorts, "outside">): OutsideInForce {
  let inForce: Outside = { hooks: new Map(), webhooks: new Map(), registered: [], off: {} };
  return {
    now: () => inForce,
    change(next) {
      inForce = next;
    },
    webhookOf: (profile) => inForce.webhooks.get(profile) ?? inForce.webhooks.get(""),
    runHook: createHookRunner({ ...ports, outside: () => inForce }),
  };
}
