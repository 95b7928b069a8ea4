/** Which of the operator's rules are about a call, and which of them counts: the most specific, then the strictest. */
import type { Observed, Policy, Rule } from "../../events/policy.ts";
import type { Offer } from "../catalogue.ts";
import { type NameList, nameList, subjectOf } from "./lists.ts";

const STRICTNESS: readonly Rule["action"][] = ["deny", "ask", "warn", "allow"];

interface Candidate {
  readonly rule: Rule;
  /** In lower case. */
  readonly operation: string | undefined;
  /** Higher is more specific. */
  readonly weight: number;
}
/** A rule made ready to be asked which tools it is about. */
interface Opened {
  readonly rule: Rule;
  readonly operation: string | undefined;
  readonly list: NameList | undefined;
  /** The list is of the tool without the operation behind it. */
  readonly whole: NameList | undefined;
}
const opened = new WeakMap<Policy, readonly Opened[]>();
const known = new WeakMap<Policy, Map<string, readonly Candidate[]>>();

const lower = (text: string | undefined): string | undefined => text?.trim().toLowerCase();

function openedOf(policy: Policy): readonly Opened[] {
  const before = opened.get(policy);
  if (before) return before;
  const { groups } = policy.global;
  const made = policy.rules.map((rule): Opened => {
    const [tool, behind] = splitLast(rule.tool);
    const whole = behind === undefined ? undefined : nameList([tool], groups);
    return { rule, operation: lower(rule.operation ?? behind), list: nameList([rule.tool], groups), whole };
  });
  opened.set(policy, made);
  return made;
}

/** `TOOL:OPERATION`; a group may have a colon of its own. */
function splitLast(name: string): [string, string | undefined] {
  const at = name.startsWith("group:") ? -1 : name.lastIndexOf(":");
  return at <= 0 ? [name, undefined] : [name.slice(0, at), name.slice(at + 1)];
}

/** How exactly a rule names the tool, and for which operation; undefined when it is about another. */
function candidate({ rule, operation, list, whole }: Opened, offer: Offer): Candidate | undefined {
  const subject = subjectOf(offer);
  const { tool } = rule;
  const own = lower(rule.operation);
  const found = (weight: number, of = own): Candidate => ({ rule, operation: of, weight: weight * 2 + (of === undefined ? 0 : 1) });
  if (tool === "*") return found(0);
  if (list?.entryFor(subject) !== undefined) return found(tool === "group:mcp" ? 1 : tool.startsWith("group:") ? 500 : 1_000);
  if (whole?.entryFor(subject) !== undefined) return found(1_000, operation);
  if (tool.endsWith("*") && subject.names.some((name) => name.startsWith(tool.slice(0, -1).toLowerCase()))) return found(2 + tool.length);
  return undefined;
}

/** The rules for one tool, sorted. Made once for a policy. */
function candidates(policy: Policy, offer: Offer): readonly Candidate[] {
  const byName = known.get(policy) ?? new Map<string, readonly Candidate[]>();
  known.set(policy, byName);
  const before = byName.get(offer.name);
  if (before) return before;
  const found = openedOf(policy)
    .flatMap((one) => candidate(one, offer) ?? [])
    .sort((one, other) => other.weight - one.weight || STRICTNESS.indexOf(one.rule.action) - STRICTNESS.indexOf(other.rule.action));
  byName.set(offer.name, found);
  return found;
}

/** Rules whose expression has to be judged by the door. */
export const rulesToJudge = (policy: Policy, offer: Offer): readonly Rule[] =>
  policy.rules.length === 0 ? [] : candidates(policy, offer).flatMap(({ rule }) => (rule.when === undefined ? [] : [rule]));

const isAgainst = ({ action }: Rule): boolean => action === "deny" || action === "ask";

/** The rule that counts, if any. An expression that could not be judged counts against the call, and so does an operation that it does not say. */
export function ruleFor(policy: Policy, offer: Offer, { rules = [], operation }: Observed, hasOperations: boolean): Rule | undefined {
  if (policy.rules.length === 0) return undefined;
  const asked = lower(operation);
  const judged = new Map(rules.map(({ name, failed }) => [name, failed === true]));
  const applies = ({ rule, operation: about }: Candidate): boolean => {
    const mayBe = asked === undefined && hasOperations && isAgainst(rule);
    if (about !== undefined && about !== asked && !mayBe) return false;
    if (rule.when === undefined) return true;
    const failed = judged.get(rule.name);
    return failed === undefined ? false : !failed || isAgainst(rule);
  };
  return candidates(policy, offer).find(applies)?.rule;
}
