/** What hooks said of recorded calls. They are never run again: one that is the same keeps its word, of another one nobody knows. */
import type { Envelope } from "../../events/envelope.ts";
import type { Hook, Policy, Verdict } from "../../events/policy.ts";
import { expressionOf, type Hides } from "../observe/expressions.ts";
import { patternOf } from "../observe/pattern.ts";
import type { Said } from "./outcome.ts";

/** The words of hooks in an event of a session. */
export function hookVerdictsIn({ data }: Envelope): readonly Verdict[] {
  const { verdicts = [] } = data as { readonly verdicts?: readonly Verdict[] };
  return verdicts.filter(({ gate }) => gate === "hook");
}

interface About {
  readonly name: string;
  /** Undefined when they are erased. */
  readonly variables: () => Readonly<Record<string, unknown>> | undefined;
  readonly hides: Hides;
}
/** Hooks that would be asked about a call; one whose condition cannot be judged is. */
export function hooksFor({ preToolUse }: Policy, { name, variables, hides }: About): readonly Hook[] {
  return preToolUse.filter(({ matcher, if: condition }) => {
    const pattern = patternOf(matcher);
    if (typeof pattern === "string" || !pattern.test(name)) return false;
    const values = condition === undefined ? undefined : variables();
    const expression = condition === undefined ? undefined : expressionOf(condition);
    return !values || !expression || "fault" in expression || expression.evaluateAround(values, hides) !== false;
  });
}

/** The pure gates' word, with those of hooks on top of it. A refusal stands. */
export function withHooks(said: Said, words: readonly Verdict[]): Said {
  if (said.outcome === "refused") return said;
  const denied = words.find(({ outcome }) => outcome === "deny");
  if (denied) return { outcome: "refused", rule: denied.rule };
  const asking = words.find(({ outcome }) => outcome === "ask");
  return asking && said.outcome === "allowed" ? { outcome: "asked", rule: asking.rule } : said;
}

/** Of one hook. */
export const wordsOf = ({ name }: Hook, words: readonly Verdict[]): readonly Verdict[] =>
  words.filter(({ rule }) => rule === name || rule === `hook:${name}`);

export const isUnchanged = ({ name, digest, matcher, if: condition }: Hook, { preToolUse }: Policy): boolean =>
  preToolUse.some((one) => one.name === name && one.digest === digest && one.matcher === matcher && one.if === condition);
