/** Finds any of many literals in a text, in one pass that skips most of its characters. */

/** One literal, with whatever the caller wants back when it is found. */
export interface Pattern {
  readonly text: string;
  readonly family: string;
  readonly before: boolean;
  readonly after: boolean;
}

export interface Matcher {
  /** No text shorter than this can match. */
  readonly shortest: number;
  /** Calls back for every place where a pattern begins, with the longest one that does; matches may overlap. */
  find(text: string, found: (start: number, pattern: Pattern) => void): void;
}

/** Patterns with the same first characters, sorted; `prefixOf[i]` is the longest of them that pattern i begins with, or -1. */
interface Bucket {
  readonly patterns: readonly Pattern[];
  readonly prefixOf: readonly number[];
  readonly longest: number;
}

const LONGEST_WINDOW = 16;
const BLOCK = 3;

/**
 * Wu and Manber's search: a window slides over the text, and a table over its last three characters says how far it may jump.
 * Every pattern has at least `BLOCK` characters; of two with the same text the first counts. Cost: about length / window for clean
 * text, and one comparison of a pattern's length per place where a pattern's beginning really stands, however many patterns there are.
 */
export function createMatcher(all: readonly Pattern[]): Matcher {
  if (all.length === 0) return { shortest: Number.POSITIVE_INFINITY, find: () => undefined };
  const window = all.reduce((least, pattern) => Math.min(least, pattern.text.length), LONGEST_WINDOW);
  const shifts = shiftTable(all, window);
  const mask = shifts.length - 1;
  const buckets = bucketsOf(all, window);

  const find: Matcher["find"] = (text, found) => {
    for (let last = window - 1; last < text.length; ) {
      const shift = shifts[hash(text, last, mask)] ?? 0;
      if (shift > 0) {
        last += shift;
        continue;
      }
      const start = last - window + 1;
      const bucket = buckets.get(text.slice(start, last + 1));
      const pattern = bucket && longestAt(bucket, text, start);
      if (pattern) found(start, pattern);
      last += 1;
    }
  };
  return { shortest: window, find };
}

function hash(text: string, last: number, mask: number): number {
  return ((text.charCodeAt(last - 2) << 10) ^ (text.charCodeAt(last - 1) << 5) ^ text.charCodeAt(last)) & mask;
}

function shiftTable(all: readonly Pattern[], window: number): Uint8Array {
  // Some 16 slots a block keep the jumps long; from 32 KiB (one level of the processor's cache) to 1 MiB.
  const wanted = all.length * (window - BLOCK + 1) * 16;
  const bits = Math.min(20, Math.max(15, Math.ceil(Math.log2(wanted))));
  const shifts = new Uint8Array(2 ** bits).fill(window - BLOCK + 1);
  for (const { text } of all) {
    for (let last = BLOCK - 1; last < window; last += 1) {
      const slot = hash(text, last, shifts.length - 1);
      shifts[slot] = Math.min(shifts[slot] ?? 0, window - 1 - last);
    }
  }
  return shifts;
}

function bucketsOf(all: readonly Pattern[], window: number): Map<string, Bucket> {
  const groups = Map.groupBy(new Map(all.toReversed().map((pattern) => [pattern.text, pattern])).values(), ({ text }) =>
    text.slice(0, window),
  );
  const buckets = new Map<string, Bucket>();
  for (const [start, group] of groups) {
    const patterns = group.toSorted((a, b) => (a.text < b.text ? -1 : 1));
    const prefixOf: number[] = [];
    for (const [index, { text }] of patterns.entries()) {
      let candidate = index - 1;
      while (candidate >= 0 && !text.startsWith(patterns[candidate]?.text ?? "")) candidate = prefixOf[candidate] ?? -1;
      prefixOf.push(candidate);
    }
    buckets.set(start, { patterns, prefixOf, longest: Math.max(...patterns.map(({ text }) => text.length)) });
  }
  return buckets;
}

function longestAt({ patterns, prefixOf, longest }: Bucket, text: string, start: number): Pattern | undefined {
  let low = 0;
  let high = patterns.length;
  if (high > 1) {
    const here = text.slice(start, start + longest);
    // The last pattern that does not sort behind the text: what matches is that one or a prefix of it.
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((patterns[middle]?.text ?? "") <= here) low = middle + 1;
      else high = middle;
    }
    high = low;
  }
  for (let index = high - 1; index >= 0; index = prefixOf[index] ?? -1) {
    const pattern = patterns[index];
    if (pattern && text.startsWith(pattern.text, start)) return pattern;
  }
  return undefined;
}
