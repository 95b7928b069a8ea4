/** Scopes: when two are the same, and the profile that holds in one. */
import type { CallLimits, Narrowing, Policy, Profile, Risk, Scope } from "../../events/policy.ts";
import { profileOf } from "./defaults.ts";

/** Equal for scopes that the same rules hold for. */
export function scopeKey(policy: Policy, { profile, client = "", narrow }: Scope): string {
  const named = namesClient(policy, profile, client) || (narrow?.profile !== undefined && namesClient(policy, narrow.profile, client));
  const own = `${profile}\n${named ? client : ""}`;
  return narrow === undefined ? own : `${own}\n${JSON.stringify([narrow.profile ?? null, narrow.allow ?? []])}`;
}

const namesClient = (policy: Policy, profile: string, client: string): boolean =>
  Object.hasOwn(policy.global.byClient, client) || Object.hasOwn(profileOf(policy, profile).policy.byClient, client);

const AUTONOMIES = ["restricted", "supervised", "autonomous"] as const;
const RISKS: readonly Risk[] = ["trivial", "low", "medium", "high", "critical"];
const first = <T>(order: readonly T[], one: T, other: T): T => (order.indexOf(one) < order.indexOf(other) ? one : other);
/** 0 is none. */
const lower = (one: number, other: number): number => (one === 0 || other === 0 ? Math.max(one, other) : Math.min(one, other));

/** The profile that holds: where a request names another one, the stricter of both in everything. Who approves stays. */
export function profileIn(policy: Policy, { profile, narrow }: Scope): Profile {
  const own = profileOf(policy, profile);
  if (narrow?.profile === undefined) return own;
  const other = profileOf(policy, narrow.profile);
  const denyCapabilities = [...new Set([...own.policy.denyCapabilities, ...other.policy.denyCapabilities])];
  return {
    ...own,
    autonomy: first(AUTONOMIES, own.autonomy, other.autonomy),
    riskCeiling: first(RISKS, own.riskCeiling, other.riskCeiling),
    limits: stricter(own.limits, other.limits),
    policy: { ...own.policy, denyCapabilities },
  };
}

function stricter(one: CallLimits, other: CallLimits): CallLimits {
  return {
    callsPerHour: lower(one.callsPerHour, other.callsPerHour),
    parallelReads: lower(one.parallelReads, other.parallelReads),
    orderedWrites: one.orderedWrites || other.orderedWrites,
    spin: {
      repetition: lower(one.spin.repetition, other.spin.repetition),
      window: Math.max(one.spin.window, other.spin.window),
    },
    denials: {
      count: lower(one.denials.count, other.denials.count),
      windowMs: Math.max(one.denials.windowMs, other.denials.windowMs),
    },
  };
}

/** What of it is kept of a call that has to wait. */
export const againOf = (narrow: Narrowing | undefined, operation: string | undefined) => ({
  ...(narrow && { narrow }),
  ...(operation !== undefined && { operation }),
});
