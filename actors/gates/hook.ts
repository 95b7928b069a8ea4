/** Hooks that cannot be asked, since their condition could not be judged, or the call comes from too deep in hooks: they block. And how hooks are named. */
import type { Verdict } from "../../events/policy.ts";
import type { LoneGate } from "./gate.ts";

/** A changed hook is another one. */
export const hookKey = ({ name, digest }: { readonly name: string; readonly digest: string }): string => `${name}\n${digest}`;

export const hookRule = (name: string): string => `hook:${name}`;

export const TOO_DEEP = "hook-depth";

export const hookGate: LoneGate = ({ observed }) => {
  const blocked = (rule: string, reason: string): readonly Verdict[] => [{ gate: "hook", outcome: "deny", rule, reason }];
  const { hooks = [], unjudged = [], deep, unasked = [] } = observed;
  if (deep !== undefined) return blocked(TOO_DEEP, `hooks led to it, ${deep} deep, and it would be asked about by ${hooks.join(", ")}`);
  const [name] = unjudged;
  if (name !== undefined) return blocked(hookRule(name), "its condition cannot be judged for these arguments");
  const [added] = unasked;
  return added === undefined ? [] : blocked(hookRule(added), "it was added or changed while the call waited, and has not been asked");
};
