/** Which servers and tools exist and under which names. It publishes; it neither connects nor calls. */
import type { Capability } from "../events/call.ts";
import {
  ConfigApplied,
  type Limits,
  type RegistryEvent,
  type ServerPolicy,
  ServerRefused,
  ServerRegistered,
  ServerUnregistered,
  type Surface,
  ToolsOffered,
  ToolsWithdrawn,
} from "../events/registry.ts";
import { type Catalogue, DEFAULT_SURFACE, EMPTY_CATALOGUE, type Offer, OPEN_POLICY, type ServerEntry, serverOf } from "./catalogue.ts";
import { defineActor } from "./define.ts";
import { typedName } from "./naming.ts";

/** A tool as its server declares it now. */
export interface Declared {
  readonly tool: string;
  readonly hash: string;
  readonly suffix: string;
  readonly capability: Capability;
  readonly readOnlyHint?: true;
}
export interface ConfiguredServer {
  readonly name: string;
  /** Used if the name is new: 12 hex digits, drawn where the command was made. */
  readonly id: string;
  readonly origin: "operator" | "builtin";
  readonly transport: string;
  readonly refused?: string;
}
export type RegistryCommand =
  | {
      readonly type: "configure";
      readonly digest: string;
      readonly limits: Limits;
      readonly naming: Catalogue["naming"];
      readonly surface?: Surface;
      readonly servers: readonly ConfiguredServer[];
      readonly policies: Readonly<Record<string, ServerPolicy>>;
      readonly payload?: unknown;
    }
  | { readonly type: "surface"; readonly server: string; readonly id: string; readonly tools: readonly Declared[] };
export type RegistryEffect = { readonly type: "publish"; readonly server: string };

export const Registry = defineActor<Catalogue, RegistryCommand, RegistryEvent, RegistryEffect>({
  kind: "registry",
  shape: 2,
  initialState: EMPTY_CATALOGUE,
  decide: {
    configure: (state, { digest, limits, naming, surface, servers, policies, payload }) => {
      const wanted = new Map(servers.map((server) => [server.name.toLowerCase(), server]));
      const gone = [...state.servers.values()].filter(({ name, origin }) => origin !== "agent" && !wanted.has(name.toLowerCase()));
      const fresh = servers.filter(({ name }) => !serverOf(state, name));
      const refused = servers.filter(({ name, refused }) => refused !== undefined && serverOf(state, name)?.refused !== refused);
      const altered = servers.filter(({ name, transport, refused }) => {
        const entry = serverOf(state, name);
        return entry && (entry.name !== name || entry.transport !== transport || (refused === undefined && entry.refused !== undefined));
      });
      return [
        ...gone.map(({ name, id }) => ServerUnregistered({ name, id })),
        ...[...fresh, ...altered].map(({ name, id, origin, transport }) =>
          ServerRegistered({ name, id: serverOf(state, name)?.id ?? id, origin, transport }),
        ),
        ...(digest === state.digest
          ? []
          : [ConfigApplied({ digest, limits, naming, servers: policies, ...(surface && { surface }) }, payload)]),
        ...refused.map(({ name, refused }) => ServerRefused({ name, reason: refused ?? "" })),
      ];
    },
    surface: (state, { server, id, tools }) => {
      const entry = serverOf(state, server);
      if (entry?.id !== id) return []; // of an incarnation that is gone
      const taken = new Map(
        [...state.names].filter(([, offer]) => offer.server !== entry.name).map(([name, offer]) => [name, offer.server]),
      );
      const skipped: { tool: string; reason: string }[] = [];
      const offers = new Map<string, Omit<Offer, "server">>();
      for (const { suffix, ...declared } of tools) {
        const name = entry.origin === "builtin" ? declared.tool : typedName(entry.name, declared.tool, suffix, state.naming);
        const owner = taken.get(name);
        if (owner !== undefined) skipped.push({ tool: declared.tool, reason: `the name ${name} belongs to ${owner}` });
        else {
          taken.set(name, entry.name);
          offers.set(declared.tool, { name, ...declared });
        }
      }
      const changed = [...offers.values()].filter((offer) => !isSame(entry.offers.get(offer.tool), offer));
      const gone = [...entry.offers.values()].filter(({ tool, name }) => offers.get(tool)?.name !== name).map(({ name }) => name);
      return [
        ...(gone.length > 0 ? [ToolsWithdrawn({ server: entry.name, names: gone })] : []),
        ...(changed.length > 0 ? [ToolsOffered({ server: entry.name, tools: changed, ...(skipped.length > 0 && { skipped }) })] : []),
      ];
    },
  },
  evolve: {
    "config.applied": (state, { digest, limits, naming, servers: policies, surface = DEFAULT_SURFACE }) => {
      const servers = new Map([...state.servers].map(([key, entry]) => [key, { ...entry, policy: policyOf(policies, entry.name) }]));
      return { ...state, digest, limits, naming, surface, servers };
    },
    "server.registered": (state, { name, id, origin, transport }) => {
      const before = serverOf(state, name);
      const kept = before?.id === id ? before : { policy: OPEN_POLICY, offers: new Map<string, Offer>() };
      return withServer(state, { name, id, origin, transport, policy: kept.policy, offers: kept.offers });
    },
    "server.unregistered": (state, { name }) => {
      const servers = new Map(state.servers);
      servers.delete(name.toLowerCase());
      return { ...state, servers, names: new Map([...state.names].filter(([, offer]) => offer.server !== name)) };
    },
    "server.refused": (state, { name, reason }) => {
      const entry = serverOf(state, name);
      return entry ? withServer(state, { ...entry, refused: reason }) : state;
    },
    "tools.offered": (state, { server, tools }) => {
      const entry = serverOf(state, server);
      if (!entry) return state;
      const offers = new Map(entry.offers);
      const names = new Map(state.names);
      for (const tool of tools) {
        const offer = { ...tool, server } as Offer;
        offers.set(offer.tool, offer);
        names.set(offer.name, offer);
      }
      return { ...withServer(state, { ...entry, offers }), names };
    },
    "tools.withdrawn": (state, { server, names: gone }) => {
      const entry = serverOf(state, server);
      if (!entry) return state;
      const lost = new Set(gone);
      const offers = new Map([...entry.offers].filter(([, { name }]) => !lost.has(name)));
      return { ...withServer(state, { ...entry, offers }), names: new Map([...state.names].filter(([name]) => !lost.has(name))) };
    },
  },
  react: {
    "config.applied": () => [{ type: "publish", server: "*" }],
    "server.unregistered": ({ name }) => [{ type: "publish", server: name }],
    "server.refused": ({ name }) => [{ type: "publish", server: name }],
    "tools.offered": ({ server }) => [{ type: "publish", server }],
    "tools.withdrawn": ({ server }) => [{ type: "publish", server }],
  },
  recover: () => [],
  isQuiet: () => false,
});

const isSame = (one: Offer | undefined, other: Omit<Offer, "server">): boolean =>
  one !== undefined &&
  one.name === other.name &&
  one.hash === other.hash &&
  one.capability === other.capability &&
  one.readOnlyHint === other.readOnlyHint;
/** Names of servers are equal without regard to case. */
const policyOf = (policies: Readonly<Record<string, ServerPolicy>>, name: string): ServerPolicy => {
  const key = Object.keys(policies).find((one) => one.toLowerCase() === name.toLowerCase());
  return (key !== undefined && policies[key]) || OPEN_POLICY;
};
const withServer = (state: Catalogue, entry: ServerEntry): Catalogue => ({
  ...state,
  servers: new Map(state.servers).set(entry.name.toLowerCase(), entry),
});
