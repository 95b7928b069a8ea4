/** A tool, or an operation of one, that was denied again and again: nobody is asked any more until the denials have grown old or are forgiven. */
import type { Denial } from "../../events/limits.ts";
import type { Profile, Verdict } from "../../events/policy.ts";
import type { Gate } from "./gate.ts";

/** What denials are counted for: one operation of a tool that does several things, so that the others stay free. */
const deniable = (name: string, operation: string | undefined): string =>
  operation === undefined ? name : `${name}:${operation.trim().toLowerCase()}`;

export const denialGate: Gate = ({ name, observed }, { profile, state, now }) => {
  const { count } = profile.limits.denials;
  const { denials } = state.counts;
  const key = deniable(name, observed.operation);
  if (count <= 0 || !Object.hasOwn(denials, key)) return [];
  const counting = denials[key]?.filter((until) => until > now) ?? [];
  return counting.length >= count ? [{ gate: "denials", outcome: "deny", rule: "denial-limit", code: "refused" }] : [];
};

/** A denial of this tool, as the event that tells it carries it; nothing where the profile counts none. */
export function denialOf(
  { name, operation }: { readonly name: string; readonly operation?: string | undefined },
  { limits }: Profile,
  now: number,
): { denial?: Denial } {
  const { count, windowMs } = limits.denials;
  return count > 0 && windowMs > 0 ? { denial: { tool: deniable(name, operation), at: now, until: now + windowMs } } : {};
}

const NO_DENIALS: ReadonlySet<Verdict["gate"]> = new Set([
  ...(["schema", "capability", "egress", "classification"] as const),
  ...(["denials", "rate", "spin", "call-once", "hook"] as const),
]);
/** Whether a verdict is a denial by a rule: faults of the arguments, what they name, limits and checks that failed are none. */
export const isDenial = ({ gate, outcome, code }: Verdict): boolean =>
  outcome === "deny" && code !== "invalid_arguments" && !NO_DENIALS.has(gate);
