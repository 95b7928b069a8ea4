/** Credentials made up for the tests: put together here, so that no scanner finds one in this repository. */
import fc from "fast-check";
import { CLASSES } from "../../src/secrets/alphabet.ts";
import type { Rule } from "../../src/secrets/families.ts";

const ASCII = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));

/** The characters of an alphabet. */
export const charsOf = (bits: number): string => ASCII.filter((char) => (CLASSES[char.charCodeAt(0)]! & bits) !== 0).join("");

/** A text of this length that looks random and is the same every time; its fifth character is a digit if there are any. */
export function walk(chars: string, length: number, seed = 7): string {
  let state = seed;
  return Array.from({ length }, (_, index) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const from = index === 4 && /\d/.test(chars) ? "23456789" : chars;
    return from[(state >>> 9) % from.length];
  }).join("");
}

/** What a rule describes, with a body of `length` characters. */
export function tokenOf(rule: Rule, length: number = rule.least, seed = 7): string {
  const chars = charsOf(rule.alphabet).replace(/[-._=+/~%:$]/g, "");
  const body = walk(chars, length - rule.has.length, seed);
  return rule.prefix + body.slice(0, 3) + rule.has + body.slice(3);
}

export const random = fc.string({
  unit: fc.constantFrom(..."abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789"),
  minLength: 20,
  maxLength: 44,
});
