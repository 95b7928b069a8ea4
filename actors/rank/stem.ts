/** Brings the forms of an English word to one stem, lightly: plurals, -ing, -ed, the names of doings, and British beside American spelling. */

const VOWEL = /[aeiouy]/;
const ASCII_WORD = /^[a-z]{4,}$/;
const DOUBLED = /(?:bb|dd|gg|mm|nn|pp|rr|tt)$/;

/** Tried in this order; the first that leaves at least three letters with a vowel is replaced. */
const ENDINGS: readonly (readonly [ending: string, by: string])[] = [
  ["ing", ""],
  ["ed", ""],
  ["ysis", "yze"],
  ["ization", "ize"],
  ["isation", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["er", ""],
  ["or", ""],
  ["ment", ""],
  ["ly", ""],
  ["ion", ""],
];

function singular(word: string): string {
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(?:x|ch|sh|ss|zz)es$/.test(word)) return word.slice(0, -2);
  return /[^sui]s$/.test(word) && !word.endsWith("ews") ? word.slice(0, -1) : word;
}

/** `word` is lower case; what is no English word comes back as it is. */
export function stemOf(word: string): string {
  if (!ASCII_WORD.test(word)) return word;
  let stem = singular(word);
  for (const [ending, by] of ENDINGS) {
    const rest = stem.slice(0, -ending.length);
    if (!stem.endsWith(ending) || rest.length < 3 || !VOWEL.test(rest)) continue;
    stem = by === "" && DOUBLED.test(rest) ? rest.slice(0, -1) : rest + by;
    break;
  }
  if (stem.length > 3 && stem.endsWith("e")) stem = stem.slice(0, -1);
  else if (stem.length > 3 && stem.endsWith("y")) stem = `${stem.slice(0, -1)}i`;
  return stem.replace(/(?<=[iy])s$/, "z");
}
