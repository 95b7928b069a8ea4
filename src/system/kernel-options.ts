/** What the kernel is given: the log, the clock, what reaches the world, and what the configuration says now. */
import type { OpenCalls } from "../calls/open-calls.ts";
import type { Unusable } from "../config/outside.ts";
import type { RunHook } from "../effects/hook-reply.ts";
import type { ConnectionPorts } from "../effects/wanted.ts";
import type { Llm } from "../llm/client.ts";
import type { Log } from "../log/log.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import type { Clock } from "../runtime/timers.ts";
import type { SealedStore } from "../secrets/sealed.ts";
import type { Vault } from "../secrets/vault.ts";
import type { AgentServerOptions } from "./registrations.ts";

export interface KernelOptions {
  /** Given when the log wants to know how many there are. */
  readonly openCalls?: OpenCalls;
  readonly log: Log;
  readonly clock: Clock;
  readonly vault: Vault;
  /** Key of argument digests. */
  readonly digestKey: Uint8Array;
  readonly random: () => number;
  readonly connect: ConnectionPorts["connect"];
  /** How servers are connected, as configured now. */
  readonly settings: ConnectionPorts["settings"];
  readonly failpoint: (name: string) => void;
  /** Why no call that may act can be admitted now. */
  readonly closedFor?: () => string | undefined;
  readonly onTurnFailed: (to: string, error: unknown) => void;
  /** The folder for what is too large for an answer. */
  readonly attachments: () => string;
  /** Characters of a resource's text that are told as they are. */
  readonly inlineTextLimit: () => number;
  readonly agentServers: AgentServerOptions;
  /** Where what calls need that wait is kept, and the key of the states that clients are given with our questions: 32 bytes. */
  readonly sealed: SealedStore;
  readonly stateKey: Uint8Array;
  /** Models that may answer servers' questions. */
  readonly llm?: Pick<Llm, "complete" | "tiers">;
  /** What a model said of a server, if one did. */
  readonly summaryOf?: (server: string) => string | undefined;
  /** Asks or tells a hook. */
  readonly runHook?: RunHook;
  /** Whom a profile's requests for approvals are told to; without it as the policy has it. */
  readonly webhookOf?: (profile: string) => string | Unusable | undefined;
  /** Given by tests; else it goes only where the operator lets us. */
  readonly fetch?: GuardedFetch;
}

/** What holds when nothing is given. */
export const NO_MODELS: NonNullable<KernelOptions["llm"]> = {
  tiers: () => ({}),
  complete: async () => ({ ok: false, reason: "no model is configured" }),
};
export const hookless: RunHook = async () => ({ kind: "failed", reason: "hooks are not run here" });
