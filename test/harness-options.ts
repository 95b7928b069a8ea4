/** What a test may say of the kernel that it wants. */
import {
  type Catalogue,
  DEFAULT_ELICITATION,
  DEFAULT_LIMITS,
  DEFAULT_OFFER,
  DEFAULT_SURFACE,
  elicitationOf,
  serverOf,
} from "../actors/catalogue.ts";
import { DEFAULT_POLICY } from "../actors/policy/defaults.ts";
import type { Elicitation } from "../events/elicitation.ts";
import type { Policy } from "../events/policy.ts";
import type { Limits, ServerPolicy, Surface, TaskOffer } from "../events/registry.ts";
import type { RunHook } from "../src/effects/hook-reply.ts";
import type { Wanted } from "../src/effects/wanted.ts";
import type { SealedStore } from "../src/secrets/sealed.ts";
import type { KernelOptions } from "../src/system/kernel-options.ts";

/** As the configuration has it by default, with fewer attempts. */
export const CONNECTING = { connectRetryCount: 2, connectRetryBaseDelayMs: 1000, sweepSeconds: 60, surfaceRefreshSeconds: 300 };

/** What the configuration says of all servers. */
interface Rules {
  readonly limits?: Partial<Limits>;
  readonly surface?: Partial<Surface>;
  readonly policy?: Partial<Policy>;
  readonly elicitation?: Partial<Elicitation>;
  readonly offer?: Partial<TaskOffer>;
}

export interface HarnessOptions<Server, OpenLog> extends Rules {
  readonly settings?: Partial<typeof CONNECTING>;
  readonly servers?: Readonly<Record<string, Server>>;
  readonly policies?: Readonly<Record<string, Partial<ServerPolicy>>>;
  /** What hooks say. */
  readonly runHook?: RunHook;
  /** Models that may be asked. */
  readonly llm?: NonNullable<KernelOptions["llm"]>;
  readonly secrets?: readonly { name: string; value: string }[];
  /** A log that an earlier harness wrote, and what it sealed. */
  readonly log?: OpenLog;
  readonly sealed?: SealedStore;
}

/** With every default filled in. */
export const completed = ({ limits, surface, policy, elicitation, offer }: Rules, stricter: Partial<Policy>) => ({
  limits: { ...DEFAULT_LIMITS, ...limits },
  surface: { ...DEFAULT_SURFACE, ...surface },
  policy: { ...DEFAULT_POLICY, ...policy, ...stricter },
  elicitation: { ...DEFAULT_ELICITATION, ...elicitation },
  offer: { ...DEFAULT_OFFER, ...offer },
});

/** What the configuration in force wants to be connected. */
export const wantedOf = (configured: readonly { readonly name: string; readonly id: string }[], catalogue: Catalogue): Wanted[] =>
  configured.flatMap(({ name, id }) => {
    const entry = serverOf(catalogue, name);
    const target = { kind: "stdio", command: name, args: [], env: {} } as const;
    const elicitation = elicitationOf(catalogue, name).mode !== "off";
    return entry
      ? [{ name, id, identity: name, address: entry.policy.address ?? "", target, elicitation, tasks: entry.policy.tasks === true }]
      : [];
  });
