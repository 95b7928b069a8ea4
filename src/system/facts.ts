/** What is known of a server beyond the catalogue: how it describes itself, and what its connection is like now. */
import { type Catalogue, serverOf } from "../../actors/catalogue.ts";
import { authorise, mayReach } from "../../actors/policy/allow.ts";
import { harmlessText } from "../../actors/scan/harmless.ts";
import type { Scope } from "../../events/policy.ts";
import type { Connections } from "../effects/connections.ts";
import type { ResourceList } from "../mcp/downstream/definitions.ts";
import type { ServerFacts } from "../tools/define.ts";
import { summarise } from "../tools/summary.ts";

interface About {
  readonly implementation?: string;
  readonly title?: string;
  readonly version?: string;
  readonly description?: string;
  readonly instructions?: string;
}
export interface FactsPorts {
  readonly catalogue: () => Catalogue;
  readonly connections: Pick<Connections, "of">;
  readonly documentOf: (hash: string) => unknown;
  /** A better summary than its lists give, if there is one. */
  readonly summaryOf?: ((server: string) => string | undefined) | undefined;
}

/** As a session of this scope may hear it; without one, of everything that is offered. */
export type FactsOf = (server: string, scope?: Scope) => ServerFacts;

export function createFacts({ catalogue, connections, documentOf, summaryOf }: FactsPorts): FactsOf {
  return (name, scope) => {
    const now = catalogue();
    const server = serverOf(now, name);
    const state = connections.of(name)?.state ?? "disconnected";
    if (!server) return { state, summary: "" };
    const about = (server.about === undefined ? {} : documentOf(server.about)) as About;
    const resources = server.resources && (documentOf(server.resources.hash) as ResourceList | undefined);
    const isAllowed = (offer: { readonly name: string }) => (scope ? mayReach(now, offer, scope) : authorise(now, offer.name).allowed);
    return {
      state,
      summary: server.policy.summary ?? summaryOf?.(name) ?? summarise(server, resources, isAllowed),
      ...(about.instructions !== undefined && { instructions: harmlessText(about.instructions, "instructions") }),
      ...(about.implementation !== undefined && {
        implementation: {
          name: about.implementation,
          ...(about.version !== undefined && { version: about.version }),
          ...(about.title !== undefined && { title: about.title }),
          ...(about.description !== undefined && { description: about.description }),
        },
      }),
    };
  };
}
