/** A tool that was denied again and again: nobody is asked any more until the denials have grown old or are forgiven. */
import type { Denial } from "../../events/limits.ts";
import type { Profile, Verdict } from "../../events/policy.ts";
import type { Gate } from "./gate.ts";

export const denialGate: Gate = ({ name }, { profile, state, now }) => {
  const { count } = profile.limits.denials;
  const { denials } = state.counts;
  if (count <= 0 || !Object.hasOwn(denials, name)) return [];
  const counting = denials[name]?.filter((until) => until > now) ?? [];
  return counting.length >= count ? [{ gate: "denials", outcome: "deny", rule: "denial-limit", code: "refused" }] : [];
};

/** A denial of this tool, as the event that tells it carries it; nothing where the profile counts none. */
export function denialOf(tool: string, { limits }: Profile, now: number): { denial?: Denial } {
  const { count, windowMs } = limits.denials;
  return count > 0 && windowMs > 0 ? { denial: { tool, at: now, until: now + windowMs } } : {};
}

const NO_DENIALS: ReadonlySet<Verdict["gate"]> = new Set(["schema", "denials", "rate", "spin", "call-once", "hook"]);
/** Whether a verdict is a denial by the policy: faults of the arguments, limits and checks that failed are none. */
export const isDenial = ({ gate, outcome, code }: Verdict): boolean =>
  outcome === "deny" && code !== "invalid_arguments" && !NO_DENIALS.has(gate);
