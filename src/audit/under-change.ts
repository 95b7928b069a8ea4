/** Recorded events as they would have been under changed rules, as far as later decisions look at them. */
import { type Catalogue, serverOf } from "../../actors/catalogue.ts";
import { labelsOf, taintOf } from "../../actors/gates/composition.ts";
import { capabilityOf } from "../../actors/policy/capability.ts";
import type { CallRequested } from "../../events/call.ts";
import type { EventOf } from "../../events/define.ts";
import type { Envelope } from "../../events/envelope.ts";
import type { Profile } from "../../events/policy.ts";
import type { Applied, ConfigChange } from "../config/policy-file.ts";

/** Of the registry. */
export function underChange(event: Envelope, change: ConfigChange, payloadOf: (event: Envelope) => unknown): Envelope {
  return event.type === "config.applied" ? { ...event, data: uncounted(change(event.data as Applied, payloadOf(event))) } : event;
}

const UNLIMITED: Profile["limits"] = {
  callsPerHour: 0,
  parallelReads: 0,
  orderedWrites: false,
  spin: { repetition: 0, window: 0 },
  denials: { count: 0, windowMs: 0 },
};
/** How many calls came before, and which still run, depends on what became of them: what counts is left out. */
function uncounted(applied: Applied): Applied {
  const profiles = Object.entries(applied.policy?.profiles ?? {}).map(([name, profile]) => [name, { ...profile, limits: UNLIMITED }]);
  const servers = Object.entries(applied.servers).map(([name, { callOnce: _, ...policy }]) => [name, policy]);
  const policy = applied.policy && { policy: { ...applied.policy, profiles: Object.fromEntries(profiles) } };
  return { ...applied, ...policy, servers: Object.fromEntries(servers) };
}

/** Of a session: what a call brings in is what its tool is labelled with now. */
export function relabelled(event: Envelope, catalogue: Catalogue): Envelope {
  if (event.type !== "call.requested") return event;
  const { taints: _, ...data } = event.data as EventOf<typeof CallRequested>["data"];
  const offer = catalogue.names.get(data.name);
  const server = offer && serverOf(catalogue, offer.server);
  if (!offer || !server) return event;
  const taints = taintOf(labelsOf(server, offer, capabilityOf(server.policy, offer)));
  return { ...event, data: { ...data, ...(taints.length > 0 && { taints }) } };
}
