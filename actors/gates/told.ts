/** What an agent is told of a refusal: why, and what it can do instead; which rule it was is for the operator. */
import type { Verdict } from "../../events/policy.ts";
import { TOO_DEEP } from "./hook.ts";

const BY_CODE: Readonly<Record<NonNullable<Verdict["code"]>, string>> = {
  refused: "the policy does not allow it here",
  invalid_arguments: "they do not fit what the tool takes",
  rate_limited: "the limit of calls is reached",
};
const BY_GATE: Readonly<Partial<Record<Verdict["gate"], string>>> = {
  spin: "the same has been asked again and again and brought nothing new; change the arguments or the approach, or say what blocks you",
  "call-once": "this tool may be called once in a session, and it has been",
  hook: "a check of the operator blocks it",
  denials: "it was denied several times, so nobody is asked again for now; go on without it",
};

export function toldOf({ gate, code = "refused", rule, reason, retryAfterMs }: Verdict): string {
  if (code === "invalid_arguments" && reason !== undefined) return reason;
  if (code === "rate_limited" && retryAfterMs !== undefined)
    return `the calls of this hour are used up; the next one can be made in ${lengthOf(retryAfterMs)}`;
  if (rule === TOO_DEEP && gate === "hook")
    return "it comes from a hook that was asked about a call of a hook, too deep; hooks go three deep";
  return BY_GATE[gate] ?? BY_CODE[code];
}

function lengthOf(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
