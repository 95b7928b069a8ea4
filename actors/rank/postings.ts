/** An inverted index of documents with weighted fields: which documents a word stands in, and how much it says about each (BM25F). */
import { piecesOf, runsOf } from "./words.ts";

export interface Field {
  /** How much one occurrence counts. */
  readonly weight: number;
  /** From 0 (a long field counts as much as a short one) to 1 (words of a field of twice the usual length count half). */
  readonly lengthPenalty: number;
  readonly texts: readonly string[];
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
function numbering() {
  const words = new Map<string, number>();
  const runs = new Map<string, readonly number[]>();
  const numberOf = (word: string): number => {
    const known = words.get(word);
    if (known !== undefined) return known;
    words.set(word, words.size);
    return words.size - 1;
  };
  const read = (texts: readonly string[]): readonly number[] => {
    const numbers: number[] = [];
    for (const text of texts)
      for (const run of runsOf(text)) {
        let known = runs.get(run);
        if (known === undefined) {
          const { whole, parts } = piecesOf(run);
          known = (whole === undefined ? parts : [...parts, whole]).map(numberOf);
          runs.set(run, known);
        }
        for (const number of known) numbers.push(number);
      }
    return numbers;
  };
  return { words, read };
}

/** Every document has the same fields in the same order. A field object that several documents share is read once. */
export function buildPostings(documents: readonly (readonly Field[])[]): Postings {
  const { words, read } = numbering();
  const shared = new Map<Field, readonly number[]>();
  const numbersOf = (field: Field): readonly number[] => {
    const known = shared.get(field) ?? read(field.texts);
    shared.set(field, known);
    return known;
  };
  const contents = documents.map((fields) => fields.map(numbersOf));
  const usual = (documents[0] ?? []).map(
    (_, at) => contents.reduce((sum, fields) => sum + (fields[at]?.length ?? 0), 0) / documents.length || 1,
  );

  const most = contents.reduce((sum, fields) => sum + fields.reduce((length, numbers) => length + numbers.length, 0), 0);
  const found = { words: new Uint32Array(most), documents: new Uint32Array(most), impacts: new Float32Array(most) };
  const counts = new Uint32Array(words.size);
  const frequencies = new Float64Array(words.size);
  let total = 0;
  for (let document = 0; document < contents.length; document++) {
    const first = total;
    contents[document]?.forEach((numbers, at) => {
      const { weight = 0, lengthPenalty = 0 } = documents[document]?.[at] ?? {};
      const each = weight / (1 - lengthPenalty + (lengthPenalty * numbers.length) / (usual[at] ?? 1));
      for (const number of numbers) {
        if (frequencies[number] === 0) found.words[total++] = number;
        frequencies[number] = (frequencies[number] ?? 0) + each;
      }
    });
    for (let at = first; at < total; at++) {
      const number = found.words[at] ?? 0;
      found.documents[at] = document;
      found.impacts[at] = saturated(frequencies[number] ?? 0);
      frequencies[number] = 0;
      counts[number] = (counts[number] ?? 0) + 1;
    }
  }
  const rarity = Float64Array.from(counts, (count) => rarityOf(count, documents.length));
  const names = contents.map((fields) => [...new Set(fields[0])]);
  return { size: documents.length, words, rarity, names, ...sorted(found, total, counts) };
}

interface Found {
  readonly words: Uint32Array;
  readonly documents: Uint32Array;
  readonly impacts: Float32Array;
}

/** Puts the `total` findings together by word. */
function sorted(found: Found, total: number, counts: Uint32Array): Pick<Postings, "starts" | "documents" | "impacts"> {
  const starts = new Uint32Array(counts.length + 1);
  counts.forEach((count, word) => {
    starts[word + 1] = (starts[word] ?? 0) + count;
  });
  const next = starts.slice();
  const documents = new Uint32Array(total);
  const impacts = new Float32Array(total);
  for (let at = 0; at < total; at++) {
    const word = found.words[at] ?? 0;
    const to = next[word] ?? 0;
    next[word] = to + 1;
    documents[to] = found.documents[at] ?? 0;
    impacts[to] = found.impacts[at] ?? 0;
  }
  return { starts, documents, impacts };
}
