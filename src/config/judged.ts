/** What calls are judged by, as the configuration has it: every default filled in, for the event and for the gates. */
import { CAREFUL_CALL_LIMITS, DEFAULT_PROFILE, RESTRICTED_PROFILE, SUPERVISED_PROFILE } from "../../actors/policy/defaults.ts";
import type { ApprovalPolicy, CallLimits, Hook, Policy, PolicyLayer, Profile } from "../../events/policy.ts";
import { type HookEntry, hookDigest } from "./hook-schema.ts";
import type { LayerEntry, ProfileEntry } from "./policy-schema.ts";
import type { Config } from "./schema.ts";
import { MASK, maskLiterals, type Redaction, rulesOf } from "./secrets.ts";

type Judging = Pick<Config, "policy" | "profiles" | "limits" | "approvals" | "hooks" | "secrets">;

/** Profiles that always exist; an entry of the same name changes them key by key. */
const BUILTIN_PROFILES: Readonly<Record<string, Pick<Profile, "autonomy" | "riskCeiling">>> = {
  default: DEFAULT_PROFILE,
  supervised: SUPERVISED_PROFILE,
  restricted: RESTRICTED_PROFILE,
};
export const BUILTIN_PROFILE_NAMES: readonly string[] = Object.keys(BUILTIN_PROFILES);
/** What the built-in profiles set of `limits` themselves. */
const { callsPerHour, parallelReads, orderedWrites, spin } = CAREFUL_CALL_LIMITS;
const CAREFUL: ProfileEntry["limits"] = { callsPerHour, parallelReads, orderedWrites, spin };

const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined => (Object.hasOwn(record, key) ? record[key] : undefined);
/** The values of `over` that are there, else those of `under`. */
function merged<T extends object>(under: T, over: { readonly [K in keyof T]?: unknown } | undefined): T {
  return { ...under, ...Object.fromEntries(Object.entries(over ?? {}).filter(([, value]) => value !== undefined)) };
}

/** The policy of the event `config.applied`. Commands and addresses of hooks stay in the files; secrets in an address are masked. */
export function policyOf(config: Judging, redaction: Redaction = {}): Policy {
  const { policy, profiles, hooks } = config;
  const { rules, egress, classification } = policy;
  const names = [...new Set([...BUILTIN_PROFILE_NAMES, ...Object.keys(profiles)])];
  return {
    global: layerOf(policy),
    rules: rules.map(({ operation, when, ...rule }) => ({
      ...rule,
      ...(operation !== undefined && { operation }),
      ...(when !== undefined && { when }),
    })),
    egress,
    classification,
    profiles: Object.fromEntries(names.map((name) => [name, profileOf(name, config, redaction)])),
    preToolUse: hooks.preToolUse.flatMap(hookOf),
    postToolUse: hooks.postToolUse.flatMap(hookOf),
  };
}

/** What one token may have open and send; 0: no limit. */
export function doorLimitsOf({ limits, profiles }: Pick<Config, "limits" | "profiles">, profile: string) {
  const { sessionsPerToken, requestsPerMinute } = merged(limits, own(profiles, profile)?.limits);
  return { sessionsPerToken, requestsPerMinute };
}

function profileOf(name: string, config: Judging, redaction: Redaction): Profile {
  const entry = own(config.profiles, name);
  const { autonomy, riskCeiling } = own(BUILTIN_PROFILES, name) ?? DEFAULT_PROFILE;
  const isCareful = name !== "default" && Object.hasOwn(BUILTIN_PROFILES, name);
  const limits = isCareful ? limitsOf(limitsOf(config.limits, CAREFUL), entry?.limits) : limitsOf(config.limits, entry?.limits);
  return {
    autonomy: entry?.autonomy ?? autonomy,
    riskCeiling: entry?.riskCeiling ?? riskCeiling,
    policy: layerOf(entry?.policy),
    limits,
    approvals: approvalsOf(config, entry, redaction),
  };
}

function limitsOf(top: CallLimits, entry: ProfileEntry["limits"]): CallLimits {
  const { callsPerHour, parallelReads, orderedWrites } = merged(top, entry);
  return {
    callsPerHour,
    parallelReads,
    orderedWrites,
    spin: merged(top.spin, entry?.spin),
    denials: merged(top.denials, entry?.denials),
  };
}

function approvalsOf(config: Judging, entry: ProfileEntry | undefined, redaction: Redaction): ApprovalPolicy {
  const { holdMs, webhook, ...approvals } = merged(config.approvals, entry?.approvals);
  const rules = rulesOf(config.secrets, redaction);
  return {
    ...approvals,
    ...(holdMs !== undefined && { holdMs }),
    ...(webhook !== undefined && { webhook: maskLiterals({ key: "", template: webhook }, rules, redaction.mask ?? MASK) }),
  };
}

function layerOf(entry: LayerEntry | undefined): PolicyLayer {
  const { profile, allow = [], deny = [], alsoAllow = [], hardDeny = [], denyCapabilities = [], groups = {}, byClient = {} } = entry ?? {};
  const clients = Object.entries(byClient).map(([name, client]) => [
    name,
    { allow: client.allow, ...(client.profile !== undefined && { profile: client.profile }) },
  ]);
  return {
    ...(profile !== undefined && { profile }),
    allow,
    deny,
    alsoAllow,
    hardDeny,
    denyCapabilities,
    groups,
    byClient: Object.fromEntries(clients),
  };
}

/** None for one that is switched off. */
function hookOf(entry: HookEntry): Hook[] {
  const { name, matcher, if: condition, type, timeoutMs, onTimeout, enabled, observe } = entry;
  if (!enabled) return [];
  return [
    { name, matcher, ...(condition !== undefined && { if: condition }), type, digest: hookDigest(entry), timeoutMs, onTimeout, observe },
  ];
}
