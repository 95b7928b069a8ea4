/** From a word of a query to the words of the documents that it may mean: itself, synonyms, longer and shorter forms in names, and what it was a slip of. */
import type { Postings } from "./postings.ts";
import { synonymsOf } from "./synonyms.ts";

/** One word of the documents, with how much of the query's word it is (1: the same). */
export interface Way {
  readonly word: number;
  readonly share: number;
}

const SHARE = { synonym: 0.35, partly: 0.5, slip: 0.6 } as const;
/** Shorter words are too often parts of others, or one letter away from them. */
const SHORTEST = 4;

/** Whether one letter too many, too few, wrong, or two swapped make `a` of `b`. */
export function isSlip(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  if (restA.slice(1) === restB.slice(1) || restA.slice(1) === restB || restA === restB.slice(1)) return true;
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
}

/** Prepares the search for words; `waysOf` gives each word at most once. */
export function reacher({ words, names }: Postings): { waysOf(stem: string): readonly Way[] } {
  const texts = [...words.keys()];
  const inNames = [...new Set(names.flat())]
    .map((word) => ({ word, text: texts[word] ?? "" }))
    .filter(({ text }) => text.length >= SHORTEST);
  const byInitial = Map.groupBy(texts, (text) => text[0]);

  const slipsOf = (stem: string): readonly string[] =>
    (byInitial.get(stem[0]) ?? []).filter((text) => text.length >= SHORTEST && isSlip(stem, text));

  return {
    waysOf(stem) {
      const ways = new Map<number, number>();
      const add = (word: number | undefined, share: number): void => {
        if (word !== undefined) ways.set(word, Math.max(share, ways.get(word) ?? 0));
      };
      const own = words.get(stem);
      add(own, 1);
      for (const synonym of synonymsOf(stem)) add(words.get(synonym), SHARE.synonym);
      if (stem.length >= SHORTEST) {
        for (const { word, text } of inNames)
          if (text.includes(stem) || stem.startsWith(text))
            add(word, (SHARE.partly * Math.min(text.length, stem.length)) / Math.max(text.length, stem.length));
        if (own === undefined) for (const slip of slipsOf(stem)) add(words.get(slip), SHARE.slip);
      }
      return [...ways].map(([word, share]) => ({ word, share }));
    },
  };
}
