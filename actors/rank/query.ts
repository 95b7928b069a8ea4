/** Reads a question or a step in plain words: which of its words say what is wanted, and how much. */
import { stemOf } from "./stem.ts";
import { piecesOf, runsOf } from "./words.ts";

/** Of a query, in characters; the rest is not read. */
export const LONGEST_QUERY = 2_000;
const MOST_WORDS = 48;

const set = (words: string): ReadonlySet<string> => new Set(words.split(" ").map(stemOf));

/** Say nothing about what is wanted. */
const EMPTY = set(
  "a about all am an and any are as at be been by can could did do does each every for from had has have he help her here him his how i if in into is it its just may me might more most must my need not of on only or other our over please shall she should so some such than that the their them then there these they this those through to under until up us use used using very via want was we were what when where which who whom whose why will with within would you your s t",
);
/** Stand in every second tool. */
const WEAK = set("information info detail data detailed specific get content result provide tool various multiple different related");

const WEIGHT = { word: 1, weak: 0.5, inAddress: 0.3, ofAddress: 0.5, joined: 0.7 } as const;

const PATH = /^(?:~|\.{0,2})\/.|^[A-Za-z]:\\/;
const LINK = /^(?:[a-z][a-z0-9+.-]{0,15}:\/\/|www\.)./i;
const FILE =
  /\.(?:txt|md|pdf|docx?|xlsx?|pptx?|csv|tsv|json|ya?ml|toml|xml|html?|png|jpe?g|gif|svg|webp|mp[34]|wav|zip|gz|log|sql|py|[jt]sx?|java|go|rs|c|cpp|sh)$/i;
const WRAPPING = /^[\s"'`“”‘’«»()[\]{}<>]+|[\s"'`“”‘’«»()[\]{}<>.,;:!?]+$/gu;

/** What a path or a link stands for in a question; its own words are names and tell little. */
function addressedBy(part: string): readonly string[] {
  if (LINK.test(part)) return ["url", "web", "page"];
  return PATH.test(part) || FILE.test(part) ? ["file"] : [];
}

/**
 * The stems to look for with their weights, the most important being 1. `isKnown` tells whether a stem stands in any document:
 * "data base" is also looked for as one word, and "GitHub" as two, where that is how documents write it.
 */
export function readQuery(query: string, isKnown: (stem: string) => boolean): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const add = (word: string, weight: number): void => {
    if (weights.size < MOST_WORDS || weights.has(word)) weights.set(word, Math.max(weight, weights.get(word) ?? 0));
  };
  const read = partsOf(query.slice(0, LONGEST_QUERY), isKnown);
  for (const { words, weight } of read)
    for (const word of words) if (!EMPTY.has(word)) add(word, WEAK.has(word) ? weight * WEIGHT.weak : weight);
  const isAllEmpty = weights.size === 0;
  if (isAllEmpty) for (const { words } of read) for (const word of words) add(word, WEIGHT.word);

  const telling = read.filter(({ words }) => isAllEmpty || words.some((word) => !EMPTY.has(word)));
  telling.slice(1).forEach(({ run }, at) => {
    const joined = stemOf(`${telling[at]?.run}${run}`.toLowerCase());
    if (isKnown(joined) && !weights.has(joined)) add(joined, WEIGHT.joined);
  });
  for (const { stands } of read) for (const word of stands) if (!weights.has(word)) add(word, WEIGHT.ofAddress);
  return weights;
}

interface Part {
  readonly run: string;
  readonly words: readonly string[];
  readonly weight: number;
  /** What the path or link around it stands for. */
  readonly stands: readonly string[];
}

function partsOf(query: string, isKnown: (stem: string) => boolean): readonly Part[] {
  return query.split(/\s+/u).flatMap((chunk) => {
    const text = chunk.replace(WRAPPING, "");
    const stands = addressedBy(text).map(stemOf);
    const runs = runsOf(text);
    return runs.map((run, at) => {
      const { whole, parts } = piecesOf(run);
      const isSuffix = at === runs.length - 1 && FILE.test(text);
      return {
        run,
        words: whole !== undefined && isKnown(whole) ? [whole] : parts,
        weight: stands.length > 0 && !isSuffix ? WEIGHT.inAddress : WEIGHT.word,
        stands,
      };
    });
  });
}
