/** The name in front of a value, and what it means: `name =`, `"name":`, `name: type =`, `name="…" value=`. */
import { ALPHANUMERIC, alphabet, classAt, QUOTE, runStart, SPACE, WORD } from "./alphabet.ts";
import { type Meaning, mayMean, meaningOf } from "./names.ts";

export const NAME = ALPHANUMERIC | alphabet("_-.$");
export const LONGEST_NAME = 80;
export const MOST_SPACES = 32;
const BEFORE_OPERATOR = ":?.+|";
const TYPES = /^(?:string|String|str|text|any|NSString)$/;
const EQUALS = 61;
const BACKSLASH = 92;
const BRACKET = 93;

export interface Named {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** The end of the name in front of an operator at `at`, or 0 when none that could mean anything stands there. */
export function nameEnd(text: string, at: number): number {
  let end = at;
  if ((classAt(text, end - 1) & (ALPHANUMERIC | QUOTE)) === 0) {
    while (end > at - 3 && end > 0 && BEFORE_OPERATOR.includes(text.charAt(end - 1))) end -= 1;
    end = runStart(text, end, SPACE, end - MOST_SPACES);
    if (text.charCodeAt(end - 1) === BRACKET) end -= 1;
  }
  if ((classAt(text, end - 1) & QUOTE) !== 0) {
    end -= 1;
    while (text.charCodeAt(end - 1) === BACKSLASH) end -= 1;
  }
  return (classAt(text, end - 1) & WORD) !== 0 && mayMean(text, end) ? end : 0;
}

/** The name that ends at `nameEnd`, an operator behind it. */
export function namedAt(text: string, nameEnd: number, operator: number): Named {
  const end = text.charCodeAt(operator) === EQUALS ? beforeType(text, nameEnd) : nameEnd;
  const start = runStart(text, end, NAME, end - LONGEST_NAME);
  return { start, end, name: text.slice(start, end) };
}

export function meaningAt(text: string, { name, start }: Named): Meaning {
  const meaning = meaningOf(name);
  return meaning === "none" && name.length === 5 && name.toLowerCase() === "value" ? meaningOfSibling(text, start) : meaning;
}

/** `var name string = …` and `name: string = …`: the end of the name instead of that of its type. */
function beforeType(text: string, end: number): number {
  const start = runStart(text, end, WORD, end - 10);
  if (!TYPES.test(text.slice(start, end))) return end;
  let at = runStart(text, start, SPACE, start - 4);
  if (text[at - 1] === ":") at = text[at - 2] === "?" ? at - 2 : at - 1;
  return at === start ? end : at;
}

/** `name="API_KEY" value=`, `"name":"API_KEY","value":`: what the name beside a value means. */
function meaningOfSibling(text: string, valueName: number): Meaning {
  let end = valueName;
  while (end > valueName - MOST_SPACES && end > 0 && ` \t\r\n,\\"'\``.includes(text.charAt(end - 1))) end -= 1;
  const start = runStart(text, end, NAME, end - LONGEST_NAME);
  const before = text[runStart(text, start, SPACE, start - 4) - 1] ?? "";
  return before !== "" && `"':=`.includes(before) ? meaningOf(text.slice(start, end)) : "none";
}
