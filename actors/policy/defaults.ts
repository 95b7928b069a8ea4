/** The policy of an installation whose operator has written none. */
import type { ApprovalPolicy, CallLimits, Policy, PolicyLayer, Profile } from "../../events/policy.ts";

export const OPEN_LAYER: PolicyLayer = {
  allow: [],
  deny: [],
  alsoAllow: [],
  hardDeny: [],
  denyCapabilities: [],
  groups: {},
  byClient: {},
};
export const DEFAULT_CALL_LIMITS: CallLimits = {
  callsPerHour: 0,
  parallelReads: 0,
  orderedWrites: false,
  spin: { repetition: 0, window: 0 },
  denials: { count: 3, windowMs: 600_000 },
};
/** Of the built-in profiles that keep an agent on a short lead. */
export const CAREFUL_CALL_LIMITS: CallLimits = {
  ...DEFAULT_CALL_LIMITS,
  callsPerHour: 150,
  parallelReads: 4,
  orderedWrites: true,
  spin: { repetition: 3, window: 6 },
};
export const DEFAULT_APPROVALS: ApprovalPolicy = {
  timeoutMs: 300_000,
  grantTtlMs: 900_000,
  strategy: "any",
  approvers: ["operator", "client"],
  maxRounds: 2,
  clientMaxRisk: "medium",
};
const base = { policy: OPEN_LAYER, approvals: DEFAULT_APPROVALS, riskCeiling: "high" } as const;

/** The built-in profiles. */
export const DEFAULT_PROFILE: Profile = { ...base, autonomy: "autonomous", limits: DEFAULT_CALL_LIMITS };
export const SUPERVISED_PROFILE: Profile = { ...base, autonomy: "supervised", limits: CAREFUL_CALL_LIMITS };
export const RESTRICTED_PROFILE: Profile = { ...base, autonomy: "restricted", limits: CAREFUL_CALL_LIMITS };

export const DEFAULT_POLICY: Policy = {
  global: OPEN_LAYER,
  rules: [],
  egress: [],
  classification: { mode: "off", assets: [], actions: {} },
  profiles: { default: DEFAULT_PROFILE, supervised: SUPERVISED_PROFILE, restricted: RESTRICTED_PROFILE },
  preToolUse: [],
  postToolUse: [],
};

/** A profile that nobody has configured any more is the strictest. */
export const profileOf = ({ profiles }: Policy, name: string): Profile =>
  (Object.hasOwn(profiles, name) ? profiles[name] : undefined) ?? RESTRICTED_PROFILE;
