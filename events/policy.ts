/** The rules that calls are judged by, as the configuration in force has them: layers of names, autonomy, limits, approvals, hooks. */
import { z } from "zod";

/** How much harm a call can do. */
export const Risk = z.enum(["trivial", "low", "medium", "high", "critical"]);
export type Risk = z.output<typeof Risk>;

/** What calls of a tool bring in or take out, for the rule over a whole session. */
export const Label = z.enum(["untrusted", "private", "external"]);
export type Label = z.output<typeof Label>;

/** How far an agent may go without a person: reads only, asks before it acts, acts up to a ceiling. */
export const Autonomy = z.enum(["restricted", "supervised", "autonomous"]);
export type Autonomy = z.output<typeof Autonomy>;

/** A named set of built-in tools. */
export const ToolSet = z.enum(["full", "coding", "messaging", "minimal"]);
export type ToolSet = z.output<typeof ToolSet>;

/** Names are typed names, built-in names, aliases, `group:NAME` or `TOOL:OPERATION`. */
const Names = z.array(z.string());
export const PolicyLayer = z.strictObject({
  profile: ToolSet.optional(),
  /** Empty: everything. */
  allow: Names,
  deny: Names,
  alsoAllow: Names,
  /** Nothing overrides it. */
  hardDeny: Names,
  denyCapabilities: z.array(z.enum(["read", "idempotent", "mutating", "task", "mcp"])),
  groups: z.record(z.string(), Names),
  /** By the client's name. */
  byClient: z.record(z.string(), z.strictObject({ profile: ToolSet.optional(), allow: Names })),
});
export type PolicyLayer = z.output<typeof PolicyLayer>;

/** Judged with the call's arguments. `when` is an expression over them. */
export const Rule = z.strictObject({
  name: z.string(),
  /** A name as in a layer, or `*`. */
  tool: z.string(),
  operation: z.string().optional(),
  when: z.string().optional(),
  action: z.enum(["allow", "ask", "deny", "warn"]),
  reason: z.string(),
});
export type Rule = z.output<typeof Rule>;

export const Classification = z.strictObject({
  mode: z.enum(["off", "audit", "enforce"]),
  assets: z.array(z.strictObject({ match: z.string(), label: z.string() })),
  actions: z.record(z.string(), z.enum(["allow", "ask", "redact", "block"])),
});
export type Classification = z.output<typeof Classification>;

/** 0 switches a limit off. */
export const CallLimits = z.strictObject({
  callsPerHour: z.int(),
  parallelReads: z.int(),
  orderedWrites: z.boolean(),
  spin: z.strictObject({ repetition: z.int(), window: z.int() }),
  denials: z.strictObject({ count: z.int(), windowMs: z.int() }),
});
export type CallLimits = z.output<typeof CallLimits>;

export const ApprovalPolicy = z.strictObject({
  /** So long a request waits for the decision; left out, by whether the client hears progress. */
  holdMs: z.int().optional(),
  timeoutMs: z.int(),
  grantTtlMs: z.int(),
  strategy: z.enum(["any", "all", "quorum"]),
  /** Seats: `operator`, `client`, or the name of an operator. Empty: nobody can approve. */
  approvers: z.array(z.string()),
  maxRounds: z.int(),
  /** Up to this the requesting client's own person may approve. */
  clientMaxRisk: Risk,
  webhook: z.string().optional(),
});
export type ApprovalPolicy = z.output<typeof ApprovalPolicy>;

export const Profile = z.strictObject({
  autonomy: Autonomy,
  riskCeiling: Risk,
  policy: PolicyLayer,
  limits: CallLimits,
  approvals: ApprovalPolicy,
});
export type Profile = z.output<typeof Profile>;

/** A check from outside before a call is sent. What it runs stands in the operator's files. */
export const Hook = z.strictObject({
  name: z.string(),
  /** On the typed name, unanchored. */
  matcher: z.string(),
  if: z.string().optional(),
  type: z.enum(["command", "http"]),
  /** Digest of what it runs: a changed one is another hook. */
  digest: z.string(),
  timeoutMs: z.int(),
  onTimeout: z.enum(["block", "allow"]),
  /** It can only tighten. */
  observe: z.boolean(),
});
export type Hook = z.output<typeof Hook>;

export const Policy = z.strictObject({
  global: PolicyLayer,
  rules: z.array(Rule),
  /** Hosts that calls may name; empty: any. */
  egress: z.array(z.string()),
  classification: Classification,
  /** Every profile there is, defaults filled in: `default`, `supervised`, `restricted` and the operator's own. */
  profiles: z.record(z.string(), Profile),
  preToolUse: z.array(Hook),
  postToolUse: z.array(Hook),
});
export type Policy = z.output<typeof Policy>;

/** What a request asks to be held to beside its own rules. It never widens them. */
export const Narrowing = z.strictObject({
  profile: z.string().optional(),
  /** Names as in a layer; empty: everything. */
  allow: z.array(z.string()).optional(),
});
export type Narrowing = z.output<typeof Narrowing>;
/** Whose rules hold: the profile of a session's token, its client as it names itself, and how far a request narrows them. */
export const Scope = z.strictObject({ profile: z.string(), client: z.string().optional(), narrow: Narrowing.optional() });
export type Scope = z.output<typeof Scope>;
/** By what a call is judged once more when it has waited; `operation` is that of a tool that does several things. */
export const judgedAgain = { narrow: Narrowing.optional(), operation: z.string().optional() };
export const judgedIn = { scope: Scope.optional(), operation: z.string().optional() };

/** What one gate said of a call. `reason` is for operators. */
export const Verdict = z.strictObject({
  gate: z.enum([
    "profile",
    "operation",
    "schema",
    "guard",
    "rule",
    "capability",
    "egress",
    "risk",
    "composition",
    "classification",
    "hook",
    "denials",
    "rate",
    "spin",
    "call-once",
    "approval",
  ]),
  outcome: z.enum(["pass", "warn", "redact", "ask", "deny"]),
  rule: z.string(),
  reason: z.string().optional(),
  /** Of a refusal; `refused` when left out. */
  code: z.enum(["refused", "invalid_arguments", "rate_limited"]).optional(),
  /** Of `rate_limited`: milliseconds from this turn. */
  retryAfterMs: z.int().optional(),
});
export type Verdict = z.output<typeof Verdict>;

/** What the door found out about the original arguments; left out where there is nothing to say. */
export const Observed = z.strictObject({
  /** Faults against the tool's own schema. */
  schema: z.array(z.string()).optional(),
  /** Guards that said no, with words that teach. */
  guards: z.array(z.strictObject({ rule: z.string(), reason: z.string() })).optional(),
  /** Names of the rules whose `when` is true of these arguments, or could not be judged. */
  rules: z.array(z.strictObject({ name: z.string(), failed: z.literal(true).optional() })).optional(),
  /** Hosts that stand in them. */
  hosts: z.array(z.string()).optional(),
  /** Labels of the assets they name. */
  labels: z.array(z.string()).optional(),
  /** Of a tool with several operations. */
  operation: z.string().optional(),
  /** Hooks that are to be asked. */
  hooks: z.array(z.string()).optional(),
  /** Those of them whose condition could not be judged: they block. */
  unjudged: z.array(z.string()).optional(),
  /** So deep in hooks that no more are asked. */
  deep: z.number().optional(),
  /** Hooks that came, or were changed, while it waited: they were not asked. */
  unasked: z.array(z.string()).optional(),
});
export type Observed = z.output<typeof Observed>;
