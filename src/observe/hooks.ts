/** Which hooks are about a call. A condition that cannot be judged counts as met, and blocks. */
import type { Hook } from "../../events/policy.ts";
import { expressionOf } from "./expressions.ts";
import { patternOf } from "./pattern.ts";

export interface Matching {
  readonly hooks: readonly string[];
  /** Those of them that cannot be asked about it. */
  readonly unjudged: readonly string[];
}

/** `variables` as in conditions; `name` is looked at, too. */
export function hooksAbout(hooks: readonly Hook[], variables: Readonly<Record<string, unknown>> & { readonly name: string }): Matching {
  const about: string[] = [];
  const unjudged: string[] = [];
  for (const { name, matcher, if: condition } of hooks) {
    const pattern = patternOf(matcher);
    if (typeof pattern !== "string" && !pattern.test(variables.name)) continue;
    const verdict = condition === undefined ? true : judged(condition, variables);
    if (verdict === false) continue;
    about.push(name);
    if (typeof pattern === "string" || verdict === "failed") unjudged.push(name);
  }
  return { hooks: about, unjudged };
}

function judged(condition: string, variables: Readonly<Record<string, unknown>>): boolean | "failed" {
  const expression = expressionOf(condition);
  return "fault" in expression ? "failed" : expression.evaluate(variables);
}
