/** Which of the operator's rules are about a call, and which of them counts: the most specific, then the strictest. */
import type { Observed, Policy, Rule } from "../../events/policy.ts";
import type { Offer } from "../catalogue.ts";

const STRICTNESS: readonly Rule["action"][] = ["deny", "ask", "warn", "allow"];

interface Candidate {
  readonly rule: Rule;
  /** Higher is more specific. */
  readonly weight: number;
}
const known = new WeakMap<Policy, Map<string, readonly Candidate[]>>();

/** How exactly a rule names the tool; undefined when it is about another. */
function weightOf({ tool }: Rule, { name, server }: Offer): number | undefined {
  if (tool === name) return 1_000;
  if (tool === "*") return 0;
  if (tool === "group:mcp") return server === "builtin" ? undefined : 1;
  if (tool.toLowerCase() === `group:mcp:${server.toLowerCase()}`) return 500;
  if (tool.endsWith("*") && name.startsWith(tool.slice(0, -1))) return 2 + tool.length;
  return undefined;
}

/** The rules for one tool, sorted. Made once for a policy. */
function candidates(policy: Policy, offer: Offer): readonly Candidate[] {
  const byName = known.get(policy) ?? new Map<string, readonly Candidate[]>();
  known.set(policy, byName);
  const before = byName.get(offer.name);
  if (before) return before;
  const found = policy.rules
    .flatMap((rule): Candidate[] => {
      const weight = weightOf(rule, offer);
      return weight === undefined ? [] : [{ rule, weight: weight * 2 + (rule.operation === undefined ? 0 : 1) }];
    })
    .sort((one, other) => other.weight - one.weight || STRICTNESS.indexOf(one.rule.action) - STRICTNESS.indexOf(other.rule.action));
  byName.set(offer.name, found);
  return found;
}

/** Rules whose expression has to be judged by the door. */
export const rulesToJudge = (policy: Policy, offer: Offer): readonly Rule[] =>
  policy.rules.length === 0 ? [] : candidates(policy, offer).flatMap(({ rule }) => (rule.when === undefined ? [] : [rule]));

/** The rule that counts, if any. An expression that could not be judged counts against the call. */
export function ruleFor(policy: Policy, offer: Offer, { rules = [], operation }: Observed): Rule | undefined {
  if (policy.rules.length === 0) return undefined;
  const judged = new Map(rules.map(({ name, failed }) => [name, failed === true]));
  const applies = ({ rule }: Candidate): boolean => {
    if (rule.operation !== undefined && rule.operation !== operation) return false;
    if (rule.when === undefined) return true;
    const failed = judged.get(rule.name);
    return failed === undefined ? false : !failed || rule.action === "deny" || rule.action === "ask";
  };
  return candidates(policy, offer).find(applies)?.rule;
}
