/** The credential that begins at one place of a text, whatever name stands in front of it. */
import { alphabet, classAt, DIGIT, LETTER, LOWER, runEnd, UPPER, variety } from "./alphabet.ts";
import { prefixedAt, RULE_SLOTS, SLOTS, slot } from "./prefixed.ts";
import type { Scan } from "./scan.ts";
import { discordEnd, jwtEnd } from "./shapes.ts";
import { isMadeOfWords, isPlaceholder } from "./values.ts";

/** `[start, end)` in UTF-16 units. */
export interface Token {
  readonly start: number;
  readonly end: number;
  readonly family: string;
}

const [SPACE, B, E, M, T, Y] = [32, 98, 101, 77, 116, 121];
const CREDENTIALS = alphabet("9aA_-.~+/=");
const SCHEMES = ["bearer ", "basic ", "token "];

/** By the first three characters: whether anything can begin there. */
const BEGINS = new Uint8Array(SLOTS);
const begins = (three: string): void => {
  BEGINS[slot(three.charCodeAt(0), three.charCodeAt(1), three.charCodeAt(2))] = 1;
};
for (const place of RULE_SLOTS) BEGINS[place] = 1;
for (const third of "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") begins(`ey${third}`);
for (const scheme of SCHEMES) for (const spelt of [scheme, scheme.toUpperCase(), scheme[0]?.toUpperCase() + scheme.slice(1)]) begins(spelt);
// A number in base64 begins like this.
for (const first of "MNO") for (const second of "DTjz") for (const third of "AEIMQUYcgk") begins(first + second + third);

export function mayBegin(text: string, at: number): boolean {
  return BEGINS[slot(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2))] === 1;
}

/** The token at `at`, where a word begins. `escaped`: what stands in front of it is an escape, no part of a word. */
export function tokenAt(scan: Scan, at: number, escaped: boolean): Token | undefined {
  const { text } = scan;
  if (!mayBegin(text, at)) return undefined;
  const prefixed = prefixedAt(text, at, escaped);
  if (prefixed) return { start: at, ...prefixed };
  const first = text.charCodeAt(at);
  if (first === E) {
    const end = at < scan.jwt || text.charCodeAt(at + 1) !== Y ? 0 : jwtEnd(text, at);
    if (end < 0) scan.jwt = -end;
    return end > 0 ? { start: at, end, family: "jwt" } : undefined;
  }
  if (first === M || first === M + 1 || first === M + 2) {
    const end = discordEnd(text, at);
    return end > at ? { start: at, end, family: "discord" } : undefined;
  }
  return (first | 32) === B || (first | 32) === T ? afterScheme(text, at) : undefined;
}

/** `Bearer …`, `Basic …`, `Token …` without the name of a header: only what cannot be a word. */
function afterScheme(text: string, at: number): Token | undefined {
  if (text.charCodeAt(at + 5) !== SPACE && text.charCodeAt(at + 6) !== SPACE) return undefined;
  const scheme = SCHEMES.find((each) => text.slice(at, at + each.length).toLowerCase() === each);
  if (scheme === undefined) return undefined;
  const start = at + scheme.length;
  const end = runEnd(text, start, CREDENTIALS);
  const value = text.slice(start, end);
  const isOne = scheme === "basic " ? isBasic(value) : isRandom(value, scheme);
  return isOne ? { start, end, family: "authorization" } : undefined;
}

/** Behind "token", which is a word of prose, only what mixes letters of both cases and digits. */
function isRandom(value: string, scheme: string): boolean {
  if (value.length < (scheme === "token " ? 20 : 16)) return false;
  let kinds = 0;
  for (let at = 0; at < value.length && at < 256; at += 1) kinds |= classAt(value, at);
  const hasLetters = scheme === "token " ? (kinds & UPPER) !== 0 && (kinds & LOWER) !== 0 : (kinds & LETTER) !== 0;
  return hasLetters && (kinds & DIGIT) !== 0 && variety(value, 0, value.length) >= 10 && !isPlaceholder(value) && !isMadeOfWords(value);
}

/** Base64 of `user:password`. */
export function isBasic(value: string): boolean {
  if (value.length < 8 || value.length > 1024 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return false;
  const text = Buffer.from(value, "base64").toString("latin1");
  return /^[\x20-\x7e\xa0-\xff]*:[\x20-\x7e\xa0-\xff]*$/.test(text);
}
