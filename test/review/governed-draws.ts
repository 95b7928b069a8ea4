/** What random lives under a policy are drawn from: policies, requests that narrow them, and what people and processes do. */
import fc from "fast-check";
import {
  DEFAULT_APPROVALS,
  DEFAULT_CALL_LIMITS,
  DEFAULT_POLICY,
  DEFAULT_PROFILE,
  OPEN_LAYER,
  SUPERVISED_PROFILE,
} from "../../actors/policy/defaults.ts";
import type { Narrowing, Policy, Rule } from "../../events/policy.ts";
import { hookOf } from "../system/hooks-fixture.ts";

const NAMES = ["mail__act", "mail__look", "mail__burn"] as const;

const rule = fc.record({
  tool: fc.constantFrom("*", ...NAMES, "group:mcp:mail"),
  when: fc.constantFrom(undefined, "n > 1", "n == 1 || missing == 2"),
  action: fc.constantFrom("allow" as const, "ask" as const, "deny" as const, "warn" as const),
});
export const policies = fc.record({
  autonomy: fc.constantFrom(
    "restricted" as const,
    "supervised" as const,
    "supervised" as const,
    "autonomous" as const,
    "autonomous" as const,
  ),
  rules: fc.array(rule, { maxLength: 2 }),
  deny: fc.constantFrom<(typeof NAMES)[number][]>([], [], ["mail__burn"], ["mail__look"]),
  hardDeny: fc.constantFrom<(typeof NAMES)[number][]>([], [], [], ["mail__act"]),
  spin: fc.constantFrom(0, 0, 2),
  callsPerHour: fc.constantFrom(0, 0, 0, 4),
  orderedWrites: fc.constantFrom(true, true, false),
  approvers: fc.constantFrom<string[]>(["operator"], ["operator"], ["operator"], ["operator"], []),
  /** What reads brings in a stranger's words and private data, what acts goes outside. */
  labelled: fc.boolean(),
  /** It says no to calls whose `n` is 0. */
  hooked: fc.constantFrom(false, false, false, true),
});
export type Drawn = typeof policies extends fc.Arbitrary<infer T> ? T : never;

/** `careful` asks before it acts and has no `burn`; `nowhere` is no profile. */
const narrowings: readonly (Narrowing | undefined)[] = [
  ...Array.from({ length: 12 }, () => undefined),
  { allow: ["mail__look"] },
  { allow: ["mail__act", "mail__look"] },
  { profile: "restricted" },
  { profile: "careful" },
  { profile: "careful", allow: ["mail__act"] },
  { profile: "nowhere" },
];
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      name: fc.constantFrom(...NAMES, "mail__act"),
      n: fc.nat(2),
      narrow: fc.constantFrom(...narrowings),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("vote" as const), verdict: fc.constantFrom("approve", "approve", "deny", "revise") }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("answer" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.constantFrom(1_000, 20_000, 400_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("tighten" as const),
      tool: fc.constantFrom(...NAMES),
      action: fc.constantFrom("ask" as const, "ask" as const, "deny" as const),
    }),
  },
);
export const plans = fc.array(step, { minLength: 6, maxLength: 40 });
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** `tightened`: rules that came later. */
export function policyOf(of: Drawn, tightened: readonly Rule[]): Partial<Policy> {
  const limits = {
    ...DEFAULT_CALL_LIMITS,
    callsPerHour: of.callsPerHour,
    orderedWrites: of.orderedWrites,
    spin: { repetition: of.spin, window: 0 },
  };
  const approvals = { ...DEFAULT_APPROVALS, approvers: of.approvers };
  const own = {
    ...DEFAULT_PROFILE,
    autonomy: of.autonomy,
    limits,
    approvals,
    policy: { ...OPEN_LAYER, deny: of.deny, hardDeny: of.hardDeny },
  };
  const careful = { ...SUPERVISED_PROFILE, limits: DEFAULT_CALL_LIMITS, policy: { ...OPEN_LAYER, deny: ["mail__burn"] } };
  return {
    rules: [
      ...of.rules.map(({ when, ...one }, n) => ({ ...one, name: `r${n}`, reason: "", ...(when !== undefined && { when }) })),
      ...tightened,
    ],
    profiles: { ...DEFAULT_POLICY.profiles, default: own, careful },
    preToolUse: of.hooked ? [hookOf("no-zero")] : [],
  };
}
