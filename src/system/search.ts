/** The search over everything that a profile may call, made anew when the catalogue has changed and somebody asks. */
import { BUILTIN } from "../../actors/address.ts";
import type { Catalogue } from "../../actors/catalogue.ts";
import { authorise } from "../../actors/policy/allow.ts";
import { createSearchIndex, type SearchIndex } from "../../actors/rank.ts";
import type { Published } from "../mcp/published.ts";
import type { FoundTool, ServerFacts } from "../tools/define.ts";

export type Search = (catalogue: Catalogue, profile: string) => SearchIndex<FoundTool>;

export function createSearch(published: Published, factsOf: (server: string) => ServerFacts): Search {
  const made = new WeakMap<Catalogue, Map<string, SearchIndex<FoundTool>>>();
  return (catalogue, profile) => {
    const byProfile = made.get(catalogue) ?? new Map<string, SearchIndex<FoundTool>>();
    made.set(catalogue, byProfile);
    const before = byProfile.get(profile);
    if (before) return before;
    const documents = [...catalogue.servers.values()]
      .filter(({ name }) => name !== BUILTIN)
      .flatMap(({ name, offers }) => {
        const { implementation, summary } = factsOf(name);
        const title = implementation?.title ?? implementation?.name;
        return [...offers.values()].flatMap((offer): FoundTool[] => {
          const definition = authorise(catalogue, offer.name, { profile, via: "search" }).allowed ? published(offer) : undefined;
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
    byProfile.set(profile, index);
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
