/** An inverted index of documents with weighted fields: which documents a word stands in, and how much it says about each (BM25F). */
import { piecesOf, runsOf } from "./words.ts";

/** A part of a document. The same object in several documents is read once. */
export interface Field {
  readonly texts: readonly string[];
  /** How much one occurrence of a word counts in a field of the usual length. */
  readonly weight: number;
  /** In words. Fixed, so that a document's words count the same whatever else is indexed; only their rarity changes. */
  readonly usualLength: number;
  /** From 0 (a long field counts as much as a short one) to 1 (words of a field twice as long count half). */
  readonly lengthPenalty: number;
}

/** Words are numbered; the postings of word `w` stand at `starts[w]` to `starts[w + 1]`. */
export interface Postings {
  readonly size: number;
  readonly words: ReadonlyMap<string, number>;
  /** By word: how rare it is, always above 0. */
  readonly rarity: Float64Array;
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;
  /** Beside `documents`: from 0 to 1 + SATURATION. */
  readonly impacts: Float32Array;
  /** By document: the different words of its first field. */
  readonly names: readonly (readonly number[])[];
}

/** BM25's k1: the larger, the more repetition counts. */
const SATURATION = 1.2;

/** How rare a word is that `documents` of `size` have. */
export const rarityOf = (documents: number, size: number): number => Math.log((size - documents + 0.5) / (documents + 0.5) + 1);

export const saturated = (frequency: number): number => (frequency * (1 + SATURATION)) / (frequency + SATURATION);

/** Numbers words; every different run is taken apart once. */
function reader() {
  const words = new Map<string, number>();
  const runs = new Map<string, readonly number[]>();
  const fields = new WeakMap<Field, readonly number[]>();

  const numberOf = (word: string): number => {
    const known = words.get(word);
    if (known !== undefined) return known;
    words.set(word, words.size);
    return words.size - 1;
  };
  const numbersOf = (run: string): readonly number[] => {
    const known = runs.get(run);
    if (known !== undefined) return known;
    const { whole, parts } = piecesOf(run);
    const numbers = (whole === undefined ? parts : [...parts, whole]).map(numberOf);
    runs.set(run, numbers);
    return numbers;
  };
  const read = (field: Field): readonly number[] => {
    const known = fields.get(field);
    if (known !== undefined) return known;
    const numbers: number[] = [];
    for (const text of field.texts) for (const run of runsOf(text)) for (const number of numbersOf(run)) numbers.push(number);
    fields.set(field, numbers);
    return numbers;
  };
  return { words, read };
}

/** Every document has the same fields in the same order. */
export function buildPostings(documents: readonly (readonly Field[])[]): Postings {
  const { words, read } = reader();
  const found: Found = { words: [], impacts: [], ends: [] };
  const names: (readonly number[])[] = [];
  const frequencies: number[] = [];
  for (const fields of documents) {
    const first = found.words.length;
    fields.forEach((field, at) => {
      const numbers = read(field);
      const { weight, usualLength, lengthPenalty } = field;
      const each = weight / (1 - lengthPenalty + (lengthPenalty * numbers.length) / usualLength);
      for (const number of numbers) {
        const before = frequencies[number] ?? 0;
        if (before === 0) found.words.push(number);
        frequencies[number] = before + each;
      }
      if (at === 0) names.push(found.words.slice(first));
    });
    for (let at = first; at < found.words.length; at++) {
      const word = found.words[at] ?? 0;
      found.impacts.push(saturated(frequencies[word] ?? 0));
      frequencies[word] = 0;
    }
    found.ends.push(found.words.length);
  }
  return { size: documents.length, words, names, ...byWord(found, words.size) };
}

/** Document by document; that of number `d` ends before `ends[d]`. */
interface Found {
  readonly words: number[];
  readonly impacts: number[];
  readonly ends: number[];
}

function byWord({ words, impacts, ends }: Found, count: number): Pick<Postings, "rarity" | "starts" | "documents" | "impacts"> {
  const starts = new Uint32Array(count + 1);
  for (const word of words) starts[word + 1] = (starts[word + 1] ?? 0) + 1;
  const rarity = Float64Array.from({ length: count }, (_, word) => rarityOf(starts[word + 1] ?? 0, ends.length));
  for (let word = 0; word < count; word++) starts[word + 1] = (starts[word + 1] ?? 0) + (starts[word] ?? 0);
  const next = starts.slice();
  const sorted = { documents: new Uint32Array(words.length), impacts: new Float32Array(words.length) };
  let document = 0;
  words.forEach((word, at) => {
    while (at >= (ends[document] ?? 0)) document++;
    const to = next[word] ?? 0;
    next[word] = to + 1;
    sorted.documents[to] = document;
    sorted.impacts[to] = impacts[at] ?? 0;
  });
  return { rarity, starts, ...sorted };
}
