/** Tool search: ranks tools and servers by how well they fit a question or a step in plain words. */
import { type ToolDocument, toolFields } from "./rank/fields.ts";
import { createScorer, ordinal } from "./rank/score.ts";
import { createServerSearch, type RankedServer } from "./rank/servers.ts";

export type { ToolDocument };

export interface Ranked<D> {
  readonly document: D;
  /** Above 0; comparable within one query only. */
  readonly score: number;
}

export interface SearchIndex<D extends ToolDocument> {
  /** The best first, at most `limit`; equal ones by name. A query that is a tool's name, the published or the server's own, finds that tool first. */
  search(query: string, limit: number): readonly Ranked<D>[];
  /** Whole servers: the best has score 1, the others a share of it to two decimals; with each the three tools that fit best. */
  servers(query: string, limit: number): readonly RankedServer<D>[];
}

/** Beyond what any text can reach. */
const EXACT = 1_000_000;

const normalised = (name: string): string => name.trim().toLowerCase();

export function createSearchIndex<D extends ToolDocument>(documents: readonly D[]): SearchIndex<D> {
  const { score } = createScorer(documents.map(toolFields()));
  const named = new Map<string, number[]>();
  documents.forEach(({ name, tool }, at) => {
    for (const key of new Set([normalised(name), normalised(tool)])) named.set(key, [...(named.get(key) ?? []), at]);
  });
  const scoreTools = (query: string): Float64Array => {
    const scores = score(query);
    for (const at of named.get(normalised(query)) ?? []) scores[at] = (scores[at] ?? 0) + EXACT;
    return scores;
  };
  let searchServers: ReturnType<typeof createServerSearch<D>> | undefined;

  return {
    search(query, limit) {
      const scores = scoreTools(query);
      const least = scores.toSorted().at(-limit) ?? 0; // so that only the best are put in order
      const found = documents.flatMap((document, at) => {
        const own = scores[at] ?? 0;
        return own > 0 && own >= least ? [{ document, score: own }] : [];
      });
      found.sort((a, b) => b.score - a.score || ordinal(a.document.name, b.document.name));
      return found.slice(0, limit);
    },
    servers(query, limit) {
      searchServers ??= createServerSearch(documents, scoreTools);
      return searchServers(query, limit);
    },
  };
}
