/** A tool, or an operation of one, that was denied again and again: nobody is asked any more until the denials have grown old or are forgiven. */
import type { Denial } from "../../events/limits.ts";
import type { Observed, Profile, Verdict } from "../../events/policy.ts";
import { DENIALS } from "../address.ts";
import { isAt, type Offer, type ServerEntry } from "../catalogue.ts";
import type { Tell } from "../define.ts";
import type { DeniedTool } from "../denials.ts";
import { operationsOf } from "../policy/capability.ts";
import type { Gate } from "./gate.ts";

type Denied = { readonly name: string; readonly server: Pick<ServerEntry, "id" | "policy">; readonly offer: Pick<Offer, "tool"> };

/** What denials are counted for: one operation of a tool that does several things, so that the others stay free. Those that nobody has named are one. */
export function deniable({ name, server, offer }: Denied, { operation }: Pick<Observed, "operation">): DeniedTool {
  if (operation === undefined) return { server: server.id, tool: name };
  const { capability = {}, risk = {} } = operationsOf(server.policy, offer.tool) ?? {};
  const said = operation.trim().toLowerCase();
  const isNamed = [...Object.keys(capability), ...Object.keys(risk)].some((one) => one.toLowerCase() === said);
  return { server: server.id, tool: `${name}:${isNamed ? said : "*"}` };
}

/** A call that people have approved passes: they have said yes to this very one. */
export const denialGate: Gate = ({ name, digest, server }, { profile, state, denied = 0, now }) => {
  const { count } = profile.limits.denials;
  if (count <= 0 || denied < count) return [];
  const isGranted = state.people.grants.some(
    (grant) => grant.name === name && grant.digest === digest && isAt(server, grant.serverId) && grant.expiresAt > now,
  );
  return isGranted ? [] : [{ gate: "denials", outcome: "deny", rule: "denial-limit", code: "refused" }];
};

/** A denial of this tool, as the event that tells it carries it; nothing where the profile counts none. */
export function denialOf(of: DeniedTool, { limits }: Profile, now: number): { denial?: Denial } {
  const { count, windowMs } = limits.denials;
  return count > 0 && windowMs > 0 ? { denial: { ...of, at: now, until: now + windowMs } } : {};
}

/** Counts it for the agent. One that names no server was made before agents were counted. */
export const tellDenial = (agent: string, denial: Denial | undefined): Tell[] =>
  denial?.server === undefined ? [] : [{ type: "tell", to: DENIALS, command: { type: "count", agent, ...denial } }];

const NO_DENIALS: ReadonlySet<Verdict["gate"]> = new Set([
  ...(["schema", "capability", "egress", "classification"] as const),
  ...(["denials", "rate", "spin", "call-once", "hook"] as const),
]);
/** Whether a verdict is a denial by a rule: faults of the arguments, what they name, limits and checks that failed are none. */
export const isDenial = ({ gate, outcome, code }: Verdict): boolean =>
  outcome === "deny" && code !== "invalid_arguments" && !NO_DENIALS.has(gate);
