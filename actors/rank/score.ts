/** Scores all documents of an index for a query. */
import { buildPostings, type Field, type Postings, rarityOf } from "./postings.ts";
import { readQuery } from "./query.ts";
import { reacher } from "./reach.ts";

/** How much a name counts that the query says completely, as a share of the score. */
const NAME_SAID = 0.6;

/** Compares by code units, the same everywhere. */
export const ordinal = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export interface Scorer {
  readonly postings: Postings;
  /** By document: 0 where it has nothing of the query; comparable within one query only. */
  score(query: string): Float64Array;
}

export function createScorer(documents: readonly (readonly Field[])[]): Scorer {
  const postings = buildPostings(documents);
  const { size, words, rarity, starts, names } = postings;
  const { waysOf } = reacher(postings);
  const rarest = rarityOf(1, size);

  /** How much of its name the query says, rare words counting more. */
  const said = (document: number, shares: ReadonlyMap<number, number>): number => {
    let [of, all] = [0, 0];
    for (const word of names[document] ?? []) {
      all += rarity[word] ?? 0;
      of += (rarity[word] ?? 0) * (shares.get(word) ?? 0);
    }
    return all === 0 ? 0 : of / all;
  };

  return {
    postings,
    score(query) {
      const scores = new Float64Array(size);
      const best = new Float64Array(size);
      const shares = new Map<number, number>();
      for (const [stem, weight] of readQuery(query, (word) => words.has(word))) {
        const own = words.get(stem);
        const most = own === undefined ? rarest : (rarity[own] ?? 0);
        const touched: number[] = [];
        for (const { word, share } of waysOf(stem)) {
          shares.set(word, Math.max(share, shares.get(word) ?? 0));
          const factor = weight * share * Math.min(rarity[word] ?? 0, most); // a synonym tells no more than the word itself
          for (let at = starts[word] ?? 0; at < (starts[word + 1] ?? 0); at++) {
            const document = postings.documents[at] ?? 0;
            const part = factor * (postings.impacts[at] ?? 0);
            if (best[document] === 0) touched.push(document);
            if (part > (best[document] ?? 0)) best[document] = part;
          }
        }
        for (const document of touched) {
          scores[document] = (scores[document] ?? 0) + (best[document] ?? 0);
          best[document] = 0;
        }
      }
      for (let document = 0; document < size; document++) {
        const score = scores[document] ?? 0;
        if (score > 0) scores[document] = score * (1 + NAME_SAID * said(document, shares));
      }
      return scores;
    },
  };
}
