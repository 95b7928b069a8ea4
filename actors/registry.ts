/** Which servers and tools exist and under which names. It publishes; it neither connects nor calls. */
import { ConfigApplied, type RegistryEvent, ServerRefused, ServerRegistered, ServerUnregistered } from "../events/registry.ts";
import { ServerSummarised, ToolAccepted, ToolDisabled, ToolEnabled } from "../events/tools.ts";
import { QUESTIONS, TASKS } from "./address.ts";
import { type Catalogue, EMPTY_CATALOGUE, offerKey, serverOf } from "./catalogue.ts";
import { defineActor } from "./define.ts";
import type { RegistryCommand, RegistryEffect } from "./registry-commands.ts";
import {
  acceptTool,
  addServer,
  applyConfig,
  describeServer,
  offerResources,
  offerTools,
  refuseServer,
  removeServer,
  summariseServer,
  switchTool,
  withdrawTools,
} from "./registry-fold.ts";
import { propose, register, reject, unregister } from "./registry-proposals.ts";
import { surfaceEvents } from "./registry-surface.ts";

const published = ({ server }: { readonly server: string }): RegistryEffect[] => [{ type: "publish", server }];

/** What is open looks at the new rules. */
const REVIEWED: readonly RegistryEffect[] = [QUESTIONS, TASKS].map((to) => ({ type: "tell", to, command: { type: "review" } }));

export const Registry = defineActor<Catalogue, RegistryCommand, RegistryEvent, RegistryEffect>({
  kind: "registry",
  shape: 5,
  initialState: EMPTY_CATALOGUE,
  decide: {
    configure: (state, { digest, limits, naming, surface, policy, elicitation, offer, servers, policies, payload }) => {
      const wanted = new Map(servers.map((server) => [server.name.toLowerCase(), server]));
      const gone = [...state.servers.values()].filter(({ name, origin }) => origin !== "agent" && !wanted.has(name.toLowerCase()));
      const isAgents = (name: string) => serverOf(state, name)?.origin === "agent";
      const taken = servers.flatMap(({ name }) => (isAgents(name) ? (serverOf(state, name) ?? []) : [])); // the operator's entry replaces it
      const fresh = servers.filter(({ name }) => !serverOf(state, name) || isAgents(name));
      const refused = servers.filter(({ name, refused }) => refused !== undefined && serverOf(state, name)?.refused !== refused);
      const altered = servers.filter(({ name, transport, refused }) => {
        const entry = serverOf(state, name);
        return (
          entry &&
          !isAgents(name) &&
          (entry.name !== name || entry.transport !== transport || (refused === undefined && entry.refused !== undefined))
        );
      });
      return [
        ...[...gone, ...taken].map(({ name, id }) => ServerUnregistered({ name, id })),
        ...[...fresh, ...altered].map(({ name, id, origin, transport }) =>
          ServerRegistered({ name, id: (isAgents(name) ? undefined : serverOf(state, name)?.id) ?? id, origin, transport }),
        ),
        ...(digest === state.digest
          ? []
          : [
              ConfigApplied(
                {
                  digest,
                  limits,
                  naming,
                  servers: policies,
                  ...(surface && { surface }),
                  ...(policy && { policy }),
                  ...(elicitation && { elicitation }),
                  ...(offer && { offer }),
                },
                payload,
              ),
            ]),
        ...refused.map(({ name, refused }) => ServerRefused({ name, reason: refused ?? "" })),
      ];
    },
    surface: (state, command) => {
      const entry = serverOf(state, command.server);
      return entry?.id === command.id ? surfaceEvents(state, entry, command) : []; // none for an incarnation that is gone
    },
    summarise: (state, { server, id, fingerprint, hash }) => {
      const entry = serverOf(state, server);
      const isKnown = entry?.summary?.fingerprint === fingerprint && entry.summary.hash === hash;
      return entry?.id === id && !isKnown ? [ServerSummarised({ server: entry.name, id, fingerprint, hash })] : [];
    },
    accept: (state, { server, tools, hash: read = "", by }) => {
      const entry = serverOf(state, server);
      const isMeant = (tool: string, name: string) => tools === undefined || tools.includes(tool) || tools.includes(name);
      return [...(entry?.offers.values() ?? [])].flatMap(({ name, tool, kind, hash, pin, withheld }) => {
        if (!entry || !withheld || pin === undefined || !isMeant(tool, name) || !hash.startsWith(read)) return [];
        const previous = entry.accepted.get(offerKey({ tool, kind }))?.hash;
        return [
          ToolAccepted({ server: entry.name, tool, ...(kind && { kind }), hash, ...(previous !== undefined && { previous }), pin, by }),
        ];
      });
    },
    propose: (state, { type: _, ...proposal }) => propose(state, proposal),
    register: (state, { type: _, id, ...proposal }) => register(state, id, proposal),
    reject: (_, { name, reason }) => reject(name, reason),
    unregister: (state, { name, owner }) => unregister(state, name, owner),
    switch: (state, { server, tool, enabled, by }) => {
      const entry = serverOf(state, server);
      if (!entry || entry.disabled.includes(tool) === !enabled) return [];
      return [enabled ? ToolEnabled({ server: entry.name, tool, by }) : ToolDisabled({ server: entry.name, tool, by })];
    },
  },
  evolve: {
    "config.applied": applyConfig,
    "server.proposed": (state) => state,
    "server.registered": addServer,
    "server.unregistered": removeServer,
    "server.refused": refuseServer,
    "tools.offered": offerTools,
    "tools.withdrawn": withdrawTools,
    "resources.offered": offerResources,
    "server.described": describeServer,
    "server.summarised": summariseServer,
    "tool.changed": (state) => state,
    "tool.flagged": (state) => state,
    "tool.withheld": (state) => state,
    "tool.accepted": acceptTool,
    "tool.disabled": (state, data) => switchTool(state, data, false),
    "tool.enabled": (state, data) => switchTool(state, data, true),
  },
  react: {
    "config.applied": () => [...published({ server: "*" }), ...REVIEWED],
    "server.registered": ({ name }) => published({ server: name }),
    "server.unregistered": ({ name }) => [...published({ server: name }), ...REVIEWED],
    "server.refused": ({ name }) => published({ server: name }),
    "tools.offered": published,
    "tools.withdrawn": published,
    "resources.offered": published,
    "tool.accepted": published,
    "tool.disabled": published,
    "tool.enabled": published,
  },
  recover: () => [],
  isQuiet: () => false,
});
