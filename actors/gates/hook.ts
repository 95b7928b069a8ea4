/** Hooks whose condition could not be judged: they block, as they would if they could not be asked. And how hooks are named. */
import type { Verdict } from "../../events/policy.ts";
import type { Gate } from "./gate.ts";

/** A changed hook is another one. */
export const hookKey = ({ name, digest }: { readonly name: string; readonly digest: string }): string => `${name}\n${digest}`;

export const hookRule = (name: string): string => `hook:${name}`;

export const hookGate: Gate = ({ observed }) =>
  (observed.unjudged ?? []).slice(0, 1).map((name): Verdict => {
    return { gate: "hook", outcome: "deny", rule: hookRule(name), reason: "its condition cannot be judged for these arguments" };
  });
