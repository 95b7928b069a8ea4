/** Values beside the name of a credential where no operator stands: elements of XML, arguments of calls, flags of commands. */
import { alphabet, BARE_STOP, classAt, QUOTE, runEnd, runStart, SPACE, WORD } from "./alphabet.ts";
import { hide, valueAt } from "./assignments.ts";
import { LONGEST_NAME, MOST_SPACES, NAME, namedAt, nameEnd } from "./named.ts";
import { mayMean, meaningOf } from "./names.ts";
import type { Scan } from "./scan.ts";

const ELEMENT = NAME | alphabet(":");

/** `<name>value</name>`, with the end of its tag at `at`. */
export function elementAt(scan: Scan, at: number): number {
  const { text } = scan;
  if ((classAt(text, at - 1) & WORD) === 0 || !mayMean(text, at)) return at + 1;
  const name = runStart(text, at, ELEMENT, at - LONGEST_NAME);
  if (text[name - 1] !== "<") return at + 1;
  const start = runEnd(text, at + 1, SPACE, at + 1 + MOST_SPACES);
  return hide(scan, { start, end: valueAt(text, start, BARE_STOP).end }, meaningOf(text.slice(name, at)), "data") ?? at + 1;
}

/** `"name", "value"`, as in calls that set something, with the comma at `at`; in a list of words no digit stands. */
export function argumentAt(scan: Scan, at: number): number {
  const { text } = scan;
  if ((classAt(text, at - 1) & QUOTE) === 0) return at + 1;
  const end = nameEnd(text, at);
  const value = end === 0 ? undefined : valueAt(text, at + 1, BARE_STOP);
  if (!value?.isQuoted || !/\d/.test(text.slice(value.start, value.end))) return at + 1;
  return hide(scan, value, meaningOf(namedAt(text, end, at).name), "data") ?? at + 1;
}

/** `--name value`, with its first dash at `at`. */
export function flagAt(scan: Scan, at: number): number {
  const { text } = scan;
  const end = runEnd(text, at + 2, NAME, at + LONGEST_NAME);
  if (text[end] !== " " || !mayMean(text, end)) return at + 2;
  const meaning = meaningOf(text.slice(at + 2, end));
  return meaning === "none" ? at + 2 : (hide(scan, valueAt(text, end, BARE_STOP), meaning, "data") ?? at + 2);
}
