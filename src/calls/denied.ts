/** How often an agent was denied a tool, in all its sessions: what the door observes of it in the turn that judges a call. */
import { DENIALS, REGISTRY } from "../../actors/address.ts";
import { type Catalogue, serverOf } from "../../actors/catalogue.ts";
import { type DenialsState, deniedTimes } from "../../actors/denials.ts";
import { deniable } from "../../actors/gates/denials.ts";
import type { Observed } from "../../events/policy.ts";
import type { Runtime } from "../runtime/turn.ts";

interface Asked {
  readonly agent: string;
  /** As published. */
  readonly name: string;
  readonly observed?: Pick<Observed, "operation"> | undefined;
}

/** As commands say it; nothing where nothing counts. `now`: of the turn. */
export function deniedSoFar(
  { stateOf }: Pick<Runtime, "stateOf">,
  { agent, name, observed = {} }: Asked,
  now: number,
): { denied?: number } {
  const state = stateOf(DENIALS) as DenialsState;
  if (!Object.hasOwn(state, agent)) return {};
  const catalogue = stateOf(REGISTRY) as Catalogue;
  const offer = catalogue.names.get(name);
  const server = offer && serverOf(catalogue, offer.server);
  const times = server ? deniedTimes(state, agent, deniable({ name, server, offer }, observed), now) : 0;
  return times > 0 ? { denied: times } : {};
}
