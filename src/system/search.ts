/** The search over everything that a session may call, made anew when the catalogue has changed and somebody asks. */
import { BUILTIN } from "../../actors/address.ts";
import type { Catalogue } from "../../actors/catalogue.ts";
import { mayReach } from "../../actors/policy/allow.ts";
import { scopeKey } from "../../actors/policy/scope.ts";
import { createSearchIndex, type SearchIndex } from "../../actors/rank.ts";
import type { Scope } from "../../events/policy.ts";
import type { Published } from "../mcp/published.ts";
import type { FoundTool } from "../tools/define.ts";
import type { FactsOf } from "./facts.ts";

export type Search = (catalogue: Catalogue, scope: Scope) => SearchIndex<FoundTool>;

/** Requests may narrow in any way they like. */
const MAX_SCOPES = 16;

export function createSearch(published: Published, factsOf: FactsOf): Search {
  const made = new WeakMap<Catalogue, Map<string, SearchIndex<FoundTool>>>();
  return (catalogue, scope) => {
    const byScope = made.get(catalogue) ?? new Map<string, SearchIndex<FoundTool>>();
    made.set(catalogue, byScope);
    const key = scopeKey(catalogue.policy, scope);
    const before = byScope.get(key);
    if (before) return before;
    const documents = [...catalogue.servers.values()]
      .filter(({ name }) => name !== BUILTIN)
      .flatMap(({ name, offers }) => {
        const { implementation, summary } = factsOf(name, scope);
        const title = implementation?.title ?? implementation?.name;
        return [...offers.values()].flatMap((offer): FoundTool[] => {
          const definition = mayReach(catalogue, offer, scope) ? published(offer) : undefined;
          if (!definition) return [];
          return [
            {
              offer,
              name: offer.name,
              tool: offer.tool,
              server: name,
              ...(title !== undefined && { serverTitle: title }),
              summary,
              description: definition.description ?? "",
              parameters: parametersOf(definition.inputSchema),
            },
          ];
        });
      });
    const index = createSearchIndex(documents);
    if (byScope.size >= MAX_SCOPES) byScope.clear();
    byScope.set(key, index);
    return index;
  };
}

function parametersOf({ properties }: Readonly<Record<string, unknown>>) {
  if (typeof properties !== "object" || properties === null) return [];
  return Object.entries(properties).map(([name, schema]: [string, { readonly description?: unknown } | null]) => ({
    name,
    ...(typeof schema?.description === "string" && { description: schema.description }),
  }));
}
