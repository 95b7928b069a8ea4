/** How the catalogue changes with each event of the registry. */
import type { Event } from "../events/define.ts";
import type { RegistryEvent, ServerPolicy } from "../events/registry.ts";
import {
  type Accepted,
  type Catalogue,
  DEFAULT_ELICITATION,
  DEFAULT_OFFER,
  DEFAULT_SURFACE,
  type Offer,
  OPEN_POLICY,
  offerKey,
  type ServerEntry,
  serverOf,
} from "./catalogue.ts";
import { DEFAULT_POLICY } from "./policy/defaults.ts";

type DataOf<T extends RegistryEvent["type"]> = Extract<RegistryEvent, { type: T } & Event>["data"];

/** Names of servers are equal without regard to case. */
const policyOf = (policies: Readonly<Record<string, ServerPolicy>>, name: string): ServerPolicy => {
  const key = Object.keys(policies).find((one) => one.toLowerCase() === name.toLowerCase());
  return (key !== undefined && policies[key]) || OPEN_POLICY;
};
const withServer = (state: Catalogue, entry: ServerEntry): Catalogue => ({
  ...state,
  servers: new Map(state.servers).set(entry.name.toLowerCase(), entry),
});
const withEntry = (state: Catalogue, server: string, change: (entry: ServerEntry) => Partial<ServerEntry>): Catalogue => {
  const entry = serverOf(state, server);
  return entry ? withServer(state, { ...entry, ...change(entry) }) : state;
};

export function applyConfig(state: Catalogue, data: DataOf<"config.applied">): Catalogue {
  const { digest, limits, naming, servers: policies } = data;
  const { surface = DEFAULT_SURFACE, policy = DEFAULT_POLICY, elicitation = DEFAULT_ELICITATION, offer = DEFAULT_OFFER } = data;
  const servers = new Map([...state.servers].map(([key, entry]) => [key, { ...entry, policy: policyOf(policies, entry.name) }]));
  return { ...state, digest, limits, naming, surface, policy, elicitation, offer, servers };
}

export function addServer(state: Catalogue, { name, id, origin, transport, owner, url }: DataOf<"server.registered">): Catalogue {
  const before = serverOf(state, name);
  const fresh = { policy: OPEN_POLICY, offers: new Map<string, Offer>(), accepted: new Map<string, Accepted>(), disabled: [] };
  if (before?.id !== id)
    return withServer(state, {
      ...fresh,
      name,
      id,
      origin,
      transport,
      ...(owner !== undefined && { owner }),
      ...(url !== undefined && { url }),
    });
  const { refused: _, ...kept } = before;
  return withServer(state, { ...kept, name, origin, transport });
}

export function removeServer(state: Catalogue, { name }: DataOf<"server.unregistered">): Catalogue {
  const servers = new Map(state.servers);
  servers.delete(name.toLowerCase());
  return { ...state, servers, names: new Map([...state.names].filter(([, offer]) => offer.server !== name)) };
}

export const refuseServer = (state: Catalogue, { name, reason, proposal }: DataOf<"server.refused">): Catalogue =>
  proposal ? state : withEntry(state, name, () => ({ refused: reason }));

export function offerTools(state: Catalogue, { server, tools }: DataOf<"tools.offered">): Catalogue {
  const entry = serverOf(state, server);
  if (!entry) return state;
  const offers = new Map(entry.offers);
  const accepted = new Map(entry.accepted);
  const names = new Map(state.names);
  for (const tool of tools) {
    const offer = { ...tool, server } as Offer;
    const key = offerKey(offer);
    offers.set(key, offer);
    names.set(offer.name, offer);
    if (offer.pin !== undefined && !offer.withheld) accepted.set(key, { pin: offer.pin, hash: offer.hash });
  }
  return { ...withServer(state, { ...entry, offers, accepted }), names };
}

export function withdrawTools(state: Catalogue, { server, names: gone }: DataOf<"tools.withdrawn">): Catalogue {
  const lost = new Set(gone);
  const entry = serverOf(state, server);
  if (!entry) return state;
  const offers = new Map([...entry.offers].filter(([, { name }]) => !lost.has(name)));
  return { ...withServer(state, { ...entry, offers }), names: new Map([...state.names].filter(([name]) => !lost.has(name))) };
}

export function acceptTool(state: Catalogue, data: DataOf<"tool.accepted">): Catalogue {
  const { server, pin, hash } = data;
  const entry = serverOf(state, server);
  const key = offerKey(data);
  const offer = entry?.offers.get(key);
  if (!entry) return state;
  const accepted = new Map(entry.accepted).set(key, { pin, hash });
  if (offer?.pin !== pin) return withServer(state, { ...entry, accepted });
  const { withheld: _, ...free } = offer;
  const offers = new Map(entry.offers).set(key, free);
  return { ...withServer(state, { ...entry, accepted, offers }), names: new Map(state.names).set(free.name, free) };
}

export const offerResources = (state: Catalogue, { server, ...resources }: DataOf<"resources.offered">): Catalogue =>
  withEntry(state, server, () => ({ resources }));
export const describeServer = (state: Catalogue, { server, hash }: DataOf<"server.described">): Catalogue =>
  withEntry(state, server, () => ({ about: hash }));
export const summariseServer = (state: Catalogue, { server, fingerprint, hash }: DataOf<"server.summarised">): Catalogue =>
  withEntry(state, server, () => ({ summary: { fingerprint, hash } }));
export const switchTool = (state: Catalogue, { server, tool }: DataOf<"tool.disabled">, enabled: boolean): Catalogue =>
  withEntry(state, server, ({ disabled }) => ({ disabled: [...disabled.filter((one) => one !== tool), ...(enabled ? [] : [tool])] }));
