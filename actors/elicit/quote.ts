/** The words of a server as they stand in texts of ours: one line, between quotes that nothing in them can close. */
import { showInvisible } from "../visible-text.ts";

const LINE = /[\s\p{Cc}\u2028\u2029]+/gu;

/** At most so many UTF-16 units, without half a character at the end. */
export const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;

/** One line: everything that could begin another is a space. */
export const flat = (text: string): string => text.replace(LINE, " ").trim();

/** A JSON string: what is hidden in it stands as `\u{…}`, a quote or a backslash of its own as `\"` or `\\`. */
export const quote = (text: string, length: number = Number.POSITIVE_INFINITY): string =>
  showInvisible(JSON.stringify(cut(flat(text), length).toWellFormed()));

/** Texts in quotes, and how many more there are. */
export function quotedList(texts: readonly string[], most: number, length?: number): string {
  const shown = texts.slice(0, most).map((text) => quote(text, length));
  return `${shown.join(", ")}${texts.length > most ? ` and ${texts.length - most} more` : ""}`;
}
