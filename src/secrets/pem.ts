/** Private keys in PEM: from their first line to their last, or as far as their lines reach. */
import { alphabet, runEnd, SPACE } from "./alphabet.ts";

const DASHES = "-----";
const BEGIN = `${DASHES}BEGIN `;
const END = `${DASHES}END `;
const LABEL = alphabet("9A") | SPACE;
const LONGEST_LABEL = 48;
const BASE64 = alphabet("9aA+/=");
/** What lies between is a key only if it holds a line as long as this: programs name the first and the last line, too. */
const LEAST_LINE = 24;
const LEAST_CUT_LINE = 16;

/** The end of the private key that begins with the dash at `at`, or `at` when none does. */
export function privateKeyEnd(text: string, at: number): number {
  if (!text.startsWith(BEGIN, at)) return at;
  const label = at + BEGIN.length;
  const labelEnd = runEnd(text, label, LABEL, label + LONGEST_LABEL);
  if (!text.startsWith(DASHES, labelEnd) || !text.slice(label, labelEnd).includes("PRIVATE KEY")) return at;
  const body = labelEnd + DASHES.length;
  const next = text.indexOf(DASHES, body);
  if (next < 0 || !text.startsWith(END, next)) {
    const end = linesEnd(text, body);
    return end === body ? at : end;
  }
  if (!hasLine(text, body, next)) return at;
  const last = runEnd(text, next + END.length, LABEL, next + END.length + LONGEST_LABEL);
  return text.startsWith(DASHES, last) ? last + DASHES.length : last;
}

function hasLine(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; ) {
    const end = runEnd(text, at, BASE64, to);
    if (end - at >= LEAST_LINE) return true;
    at = end + 1;
  }
  return false;
}

/** A key that was cut off: as far as one line of base64 follows another. */
function linesEnd(text: string, from: number): number {
  for (let end = from; ; ) {
    const start = skipBreaks(text, end);
    const line = runEnd(text, start, BASE64);
    if (start === end || line - start < LEAST_CUT_LINE) return end;
    end = line;
  }
}

/** Line breaks and indentation, also where they are written as escapes. */
function skipBreaks(text: string, from: number): number {
  for (let at = from; ; ) {
    const spaces = runEnd(text, at, SPACE);
    let end = spaces;
    while (text[end] === "\\") end += 1;
    if (end === spaces || (text[end] !== "n" && text[end] !== "r")) return spaces;
    at = end + 1;
  }
}
