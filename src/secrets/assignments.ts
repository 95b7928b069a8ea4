/** Values beside the name of a credential: `name = value` in the ways of programs, shells, YAML, ini files, JSON and queries. */
import { BARE_STOP, classAt, LINE_STOP, QUOTE, runEnd, runStart, SPACE, stopAt, UPPER } from "./alphabet.ts";
import { authorizationIn, cookiesIn } from "./headers.ts";
import { LONGEST_NAME, MOST_SPACES, meaningAt, NAME, type Named, namedAt, nameEnd } from "./named.ts";
import { type Meaning, meaningOf } from "./names.ts";
import { type Scan, scanOf } from "./scan.ts";
import { isBasic, tokenAt } from "./tokens.ts";
import { isSecret, type Place } from "./values.ts";

const LONGEST_VALUE = 4096;
const LONGEST_OPERATOR = 4;
const BACKSLASH = 92;

export interface Value {
  readonly start: number;
  readonly end: number;
  readonly isQuoted: boolean;
}

/** Looks at `name = value` with the first character of its operator at `at`. */
export function assignmentAt(scan: Scan, at: number): number {
  const { text } = scan;
  const end = nameEnd(text, at);
  if (end === 0 || at < scan.bare) return at + 1;
  const behind = operatorEnd(text, at);
  const operator = text.slice(at, behind);
  if (operator.startsWith("==") || operator === "::" || (operator === "=>" && end === at)) return behind;
  const named = namedAt(text, end, at);
  const meaning = meaningAt(text, named);
  if (meaning === "none") return behind;
  if (meaning === "authorization" || meaning === "cookie") return headerAt(scan, behind, meaning);
  const value = valueAt(text, behind, BARE_STOP);
  const place = value.isQuoted || isData(text, named, operator, behind, value, meaning) ? "data" : "code";
  if (!value.isQuoted) scan.bare = value.end;
  return hide(scan, value, meaning, place) ?? behind;
}

/** Looks at `the password is value`, with `is` at `at`. What is no word is one: `is required` and `is incorrect` say something else. */
export function sentenceAt(scan: Scan, at: number): number {
  const { text } = scan;
  const behind = at + "is".length;
  const end = runStart(text, at, SPACE, at - MOST_SPACES);
  if (end === at || (classAt(text, behind) & SPACE) === 0 || at < scan.bare) return behind;
  const start = runStart(text, end, NAME, end - LONGEST_NAME);
  const meaning = meaningOf(text.slice(start, end));
  if (meaning !== "password" && meaning !== "secret" && meaning !== "key") return behind;
  const value = valueAt(text, behind, BARE_STOP);
  if (value.isQuoted) return hide(scan, value, meaning, "data") ?? behind;
  const last = value.end - (/[.!?]+$/.exec(text.slice(value.start, value.end))?.[0].length ?? 0);
  scan.bare = value.end;
  return hide(scan, { start: value.start, end: last }, meaning, "code") ?? behind;
}

function operatorEnd(text: string, at: number): number {
  let end = at + 1;
  while (end < at + LONGEST_OPERATOR && end < text.length && ":=>".includes(text.charAt(end))) end += 1;
  return end;
}

function headerAt(scan: Scan, behind: number, meaning: "authorization" | "cookie"): number {
  if (behind <= scan.header) return behind;
  const value = valueAt(scan.text, behind, LINE_STOP);
  if (!value.isQuoted) scan.header = value.end;
  const last = meaning === "cookie" ? cookiesIn(scan, value) : authorizationIn(scan, value, value.isQuoted ? "data" : "code");
  return Math.max(behind, last);
}

/** Hides the value of a name of this meaning, if it is a secret: its end, or undefined. */
export function hide({ text, found }: Scan, { start, end }: Omit<Value, "isQuoted">, meaning: Meaning, place: Place): number | undefined {
  if (meaning === "none") return undefined;
  const value = text.slice(start, end);
  if (meaning === "auth" && isBasic(value)) return found(start, end, "authorization");
  if (!isSecret(value, meaning === "auth" ? "key" : meaning, place)) return undefined;
  const token = tokenAt(scanOf(text, found), start, true);
  if (token?.start === start && token.end >= end) return found(start, token.end, token.family);
  return found(start, end, meaning === "password" ? "password" : "credential");
}

/** The whole of a text that stands as the value of a member called `name`. */
export function memberIn(scan: Scan, name: string): void {
  const meaning = meaningOf(name);
  const { length } = scan.text;
  if (meaning === "none") return;
  if (meaning === "authorization") authorizationIn(scan, { start: 0, end: length }, "data");
  else if (meaning === "cookie") cookiesIn(scan, { start: 0, end: length });
  else {
    const start = runEnd(scan.text, 0, SPACE);
    hide(scan, { start, end: runStart(scan.text, length, SPACE, start) }, meaning, "data");
  }
}

/** From behind an operator: a quoted text without its quotes, or as far as nothing of the classes `stops` stands. */
export function valueAt(text: string, from: number, stops: number): Value {
  let start = from;
  while (start < from + MOST_SPACES && (text[start] === " " || text[start] === "\t")) start += 1;
  let quote = start;
  while (text.charCodeAt(quote) === BACKSLASH && quote < start + 4) quote += 1;
  const limit = Math.min(text.length, start + LONGEST_VALUE);
  if ((classAt(text, quote) & QUOTE) === 0) return { start, end: stopAt(text, start, stops, limit), isQuoted: false };
  const char = text.charCodeAt(quote);
  let end = quote + 1;
  while (end < limit && text.charCodeAt(end) !== char && text[end] !== "\n") end += 1;
  while (quote > start && text.charCodeAt(end - 1) === BACKSLASH) end -= 1;
  return { start: quote + 1, end, isQuoted: true };
}

/** A bare value that no program would have there: of a query, a flag, a header in quotes, a shell or an ini file, or a password that fills its line. */
function isData(text: string, named: Named, operator: string, behind: number, value: Value, meaning: Meaning): boolean {
  const rest = text[value.end];
  const before = text[named.start - 1] ?? "\n";
  if (before === rest && (classAt(text, value.end) & QUOTE) !== 0) return true;
  const fillsLine = rest === undefined || rest === "\n" || rest === "\r";
  if (operator === "=" && value.start === behind) return isShouted(text, named) || "?&;\n".includes(before) || named.name.startsWith("--");
  return fillsLine && (meaning === "password" || (operator === "=" && isShouted(text, named)));
}

function isShouted(text: string, { name, start }: Named): boolean {
  return (classAt(text, start) & UPPER) !== 0 && name === name.toUpperCase();
}
