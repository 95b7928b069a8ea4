/** Finds tokens by their prefix: a table over three characters says where one may begin, its rule says whether one does. */
import { ALPHANUMERIC, alphabet, CLASSES, classAt, DIGIT, runEnd, variety } from "./alphabet.ts";
import { RULES, type Rule } from "./families.ts";

export const SLOTS = 1 << 15;
/** Per slot: 0, or 1 + the place of its rules in BUCKETS. */
const TABLE = new Uint16Array(SLOTS);
const BUCKETS: Rule[][] = [];
/** A token has more different characters than a line of x's or a word in capitals. */
const LEAST_VARIETY = 6;
const VARIETY_WITHIN = 64;
/** What may not stand beside a token of a strict rule: it would be a piece of something longer. */
const GOES_ON_BEFORE = ALPHANUMERIC | alphabet("_-.+/");
const GOES_ON_BEHIND = ALPHANUMERIC | alphabet("_-+/");
const PLACEHOLDER = "EXAMPLE";

/** Where in a table three characters stand. */
export function slot(a: number, b: number, c: number): number {
  return ((a << 10) ^ (b << 5) ^ c) & (SLOTS - 1);
}

/** A prefix of two characters stands in the slots of all it can go on with. */
function slotsOf({ prefix, alphabet: bits }: Rule): readonly number[] {
  const [a, b, c] = [prefix.charCodeAt(0), prefix.charCodeAt(1), prefix.charCodeAt(2)];
  if (prefix.length > 2) return [slot(a, b, c)];
  const slots: number[] = [];
  for (let code = 0; code < 128; code += 1) if ((CLASSES[code]! & bits) !== 0) slots.push(slot(a, b, code));
  return slots;
}

/** The slots in which a prefix stands. */
export const RULE_SLOTS = new Set<number>();
for (const rule of RULES) {
  for (const place of slotsOf(rule)) {
    RULE_SLOTS.add(place);
    if (TABLE[place] === 0) TABLE[place] = BUCKETS.push([]);
    BUCKETS[TABLE[place]! - 1]?.push(rule);
  }
}

/** The token that begins at `at`, or undefined. `inside`: what stands in front of it is no part of the text's words (an escape). */
export function prefixedAt(text: string, at: number, inside: boolean): { readonly end: number; readonly family: string } | undefined {
  const bucket = TABLE[slot(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2))]!;
  if (bucket === 0) return undefined;
  for (const rule of BUCKETS[bucket - 1]!) {
    if (!text.startsWith(rule.prefix, at)) continue;
    const end = endOf(text, at, rule, inside);
    if (end > 0) return { end, family: rule.family };
  }
  return undefined;
}

/** 0: no token of this rule. */
function endOf(text: string, at: number, rule: Rule, inside: boolean): number {
  const { prefix, alphabet: bits, least, most, strict, digit, has } = rule;
  const body = at + prefix.length;
  if (strict && !inside && (classAt(text, at - 1) & GOES_ON_BEFORE) !== 0) return 0;
  const near = runEnd(text, body, bits, body + Math.max(VARIETY_WITHIN, most === Number.POSITIVE_INFINITY ? least : most + 1));
  const length = near - body;
  if (length < least || length > most) return 0;
  if (variety(text, body, Math.min(near, body + VARIETY_WITHIN)) < LEAST_VARIETY) return 0;
  if (digit && !hasDigit(text, body, near)) return 0;
  const end = most === Number.POSITIVE_INFINITY ? runEnd(text, near, bits) : near;
  if (strict && (classAt(text, end) & GOES_ON_BEHIND) !== 0) return 0;
  if (has !== "" && !text.slice(body, end).includes(has)) return 0;
  return text.startsWith(PLACEHOLDER, end - PLACEHOLDER.length) ? 0 : end;
}

function hasDigit(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if ((classAt(text, at) & DIGIT) !== 0) return true;
  return false;
}
