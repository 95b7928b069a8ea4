/** The shapes of what calls are judged by: layers of names, rules, profiles, limits, approvals and hooks, as they are written. */
import { z } from "zod";
import { Autonomy, Classification, PolicyLayer, Risk, Rule, ToolSet } from "../../events/policy.ts";
import { Mode } from "./bridge-schema.ts";
import { PersonName } from "./people-names.ts";

const Names = z.array(z.string().min(1)).default([]);
const { action } = Rule.shape;
const { denyCapabilities } = PolicyLayer.shape;

const Client = z.strictObject({ profile: ToolSet.optional(), allow: Names });
const layer = {
  profile: ToolSet.optional().describe("A named set of built-in tools: full, coding, messaging, minimal."),
  allow: Names.describe("Nothing else may be used. Empty: everything."),
  deny: Names.describe("What may not be used."),
  alsoAllow: Names.describe("Back in, whatever a list, a profile or `deny` says."),
  hardDeny: Names.describe("What may not be used, whatever any list says."),
  denyCapabilities: denyCapabilities.default([]).describe("Kinds of tools that may not be used: read, idempotent, mutating, task, mcp."),
  groups: z
    .record(PersonName, z.array(z.string().min(1)))
    .default({})
    .describe("Names of lists, to be written as `group:NAME`."),
  byClient: z.record(z.string().min(1), Client).default({}).describe("By the client's name: `profile` and `allow`, which only narrow."),
};
const Layer = z.strictObject(layer);
export type LayerEntry = z.output<typeof Layer>;

const RuleEntry = z.strictObject({
  name: PersonName,
  tool: z.string().min(1).describe("A name as in a list, or `*`."),
  operation: z.string().min(1).optional(),
  when: z.string().min(1).optional().describe("An expression over the arguments."),
  action,
  reason: z.string().default(""),
});
const Sorting = z.strictObject({
  mode: Classification.shape.mode.default("off"),
  assets: z.array(z.strictObject({ match: z.string().min(1), label: PersonName })).default([]),
  actions: z.record(PersonName, z.enum(["allow", "ask", "redact", "block"])).default({}),
});
export const PolicyEntry = z.strictObject({
  ...layer,
  rules: z.array(RuleEntry).default([]).describe("Judged with the arguments: deny beats ask, ask beats allow."),
  egress: z.array(z.string().min(1)).default([]).describe("Hosts that arguments may name. Empty: all."),
  classification: Sorting.prefault({}).describe("Which assets are what, and what becomes of calls that name them."),
});
export type PolicyEntry = z.output<typeof PolicyEntry>;

const count = z.int().min(0).max(1_000_000_000);
const callLimits = {
  callsPerHour: count.describe("Calls of a session in any hour. 0: no limit."),
  parallelReads: count.describe("Reads of a session that run at the same time. 0: no limit."),
  orderedWrites: z.boolean().describe("Writes of a session run one after the other, and no read overtakes an earlier write."),
  sessionsPerToken: count.describe("Sessions that one token may have. 0: no limit."),
  requestsPerMinute: count.describe("Requests of one token in a minute. 0: no limit."),
};
const spin = { repetition: count, window: count };
const denials = { count: count, windowMs: count };

/** Of the top level, beside those of servers. */
export const topLimits = {
  callsPerHour: callLimits.callsPerHour.default(0),
  parallelReads: callLimits.parallelReads.default(0),
  orderedWrites: callLimits.orderedWrites.default(false),
  spin: z
    .strictObject({ repetition: spin.repetition.default(0), window: spin.window.default(0) })
    .prefault({})
    .describe("A call that would be the `repetition`th identical one of the last `window`, with the same result, is refused. 0: never."),
  denials: z
    .strictObject({ count: denials.count.default(3), windowMs: denials.windowMs.default(600_000) })
    .prefault({})
    .describe("After `count` denials of approvals in `windowMs` an agent is not asked for any more. 0: never."),
  sessionsPerToken: callLimits.sessionsPerToken.default(1000),
  requestsPerMinute: callLimits.requestsPerMinute.default(0),
};
const ProfileLimits = z
  .strictObject({ ...callLimits, spin: z.strictObject(spin).partial(), denials: z.strictObject(denials).partial() })
  .partial();
export type ProfileLimits = z.output<typeof ProfileLimits>;

const ms = z.int().min(0).max(2_147_483_647);
const approvals = {
  holdMs: ms.describe("So long a call waits for the decision; when not set 45000, or 15000 where the client does not ask for progress."),
  timeoutMs: ms.min(1).describe("So long a request may be decided."),
  grantTtlMs: ms.min(1).describe("So long an approved call may be made, once."),
  strategy: z.enum(["any", "all", "quorum"]).describe("How many of the approvers have to agree."),
  approvers: z
    .array(z.string().min(1))
    .describe("`operator`, `client`, or the name of an operator. Empty: nobody, and what would be asked is refused."),
  maxRounds: z.int().min(0).max(100).describe("How often a request may be sent back for another try."),
  clientMaxRisk: Risk.describe("Up to this the person at the client may approve."),
  webhook: z.string().min(1).describe("An address that is told of every request."),
};
export const Approvals = z.strictObject({
  holdMs: approvals.holdMs.optional(),
  timeoutMs: approvals.timeoutMs.default(300_000),
  grantTtlMs: approvals.grantTtlMs.default(900_000),
  strategy: approvals.strategy.default("any"),
  approvers: approvals.approvers.default(["operator", "client"]),
  maxRounds: approvals.maxRounds.default(2),
  clientMaxRisk: approvals.clientMaxRisk.default("medium"),
  webhook: approvals.webhook.optional(),
});
const ProfileApprovals = z.strictObject(approvals).partial();

export const ProfileEntry = z.strictObject({
  wrapperMode: Mode.optional().describe("Instead of bridge.wrapperMode."),
  policy: Layer.optional().describe("Further lists: what they leave out, `policy` does not bring back."),
  autonomy: Autonomy.optional().describe("restricted: reads only; supervised: asks before it acts; autonomous: acts up to the ceiling."),
  riskCeiling: Risk.optional().describe("What is riskier asks; the default is high."),
  approvals: ProfileApprovals.optional().describe("Instead of those of the top level, key by key."),
  limits: ProfileLimits.optional().describe("Instead of those of the top level, key by key."),
});
export type ProfileEntry = z.output<typeof ProfileEntry>;
