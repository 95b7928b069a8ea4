/** Classes of characters as bits, and runs of them: what the scanners read instead of regular expressions. */

export const DIGIT = 1;
const HEX_LOWER = 1 << 1;
const OTHER_LOWER = 1 << 2;
const HEX_UPPER = 1 << 3;
const OTHER_UPPER = 1 << 4;
export const SPACE = 1 << 5;
/** Where a scanner has something to look at outside of words. */
export const SIGN = 1 << 6;
export const LOWER = HEX_LOWER | OTHER_LOWER;
export const UPPER = HEX_UPPER | OTHER_UPPER;
export const LETTER = LOWER | UPPER;
export const ALPHANUMERIC = LETTER | DIGIT;
/** Each punctuation mark that occurs in an alphabet has a bit of its own. */
const MARKS = "_-.=/+~%:$";
const mark = (char: string): number => 1 << (7 + MARKS.indexOf(char));
export const QUOTE = 1 << 17;
/** What ends a bare value, a line or a quoted text in it, and the part of a URI that may hold a password. */
export const BARE_STOP = 1 << 18;
export const LINE_STOP = 1 << 19;
export const URI_STOP = 1 << 20;
export const WORD = ALPHANUMERIC | mark("_");

/** The classes of every UTF-16 unit. */
export const CLASSES = new Uint32Array(0x10000);
const classify = (chars: string, bit: number): void => {
  for (const char of chars) CLASSES[char.charCodeAt(0)]! |= bit;
};
classify("0123456789", DIGIT);
classify("abcdef", HEX_LOWER);
classify("ghijklmnopqrstuvwxyz", OTHER_LOWER);
classify("ABCDEF", HEX_UPPER);
classify("GHIJKLMNOPQRSTUVWXYZ", OTHER_UPPER);
classify(" \t\r\n", SPACE);
classify(":=>,-~|", SIGN);
classify("\"'`", QUOTE);
classify(" \t\r\n\"'`,;&)(}]<>|\\", BARE_STOP);
classify("\r\n\"'`\\<", LINE_STOP);
classify(" \t\r\n\"'`<>/\\|,)(];", URI_STOP);
for (const char of MARKS) classify(char, mark(char));

const NOTATION: Readonly<Record<string, number>> = { "9": DIGIT, a: LOWER, A: UPPER, h: HEX_LOWER, H: HEX_UPPER };

/** An alphabet: `9` digits, `a` and `A` letters, `h` and `H` the letters of hexadecimal digits, every mark of MARKS for itself. */
export function alphabet(notation: string): number {
  let bits = 0;
  for (const char of notation) bits |= NOTATION[char] ?? mark(char);
  return bits;
}

/** The bits of the character at a place; none outside of the text. */
export function classAt(text: string, at: number): number {
  return CLASSES[text.charCodeAt(at)] ?? 0;
}

/** The end of the run of an alphabet's characters that begins at `from`, at most `to`. */
export function runEnd(text: string, from: number, bits: number, to: number = text.length): number {
  const limit = Math.min(to, text.length);
  let at = from;
  while (at < limit && (CLASSES[text.charCodeAt(at)]! & bits) !== 0) at += 1;
  return at;
}

/** The first place at or behind `from` where a character of these classes stands, at most `to`. */
export function stopAt(text: string, from: number, bits: number, to: number): number {
  const limit = Math.min(to, text.length);
  let at = from;
  while (at < limit && (CLASSES[text.charCodeAt(at)]! & bits) === 0) at += 1;
  return at;
}

/** The beginning of the run of an alphabet's characters that ends in front of `end`, at least `from`. */
export function runStart(text: string, end: number, bits: number, from: number): number {
  let at = end;
  while (at > from && at > 0 && (CLASSES[text.charCodeAt(at - 1)]! & bits) !== 0) at -= 1;
  return at;
}

/** How many different characters of ASCII stand in `[start, end)`. */
export function variety(text: string, start: number, end: number): number {
  const seen = [0, 0, 0, 0];
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 128) seen[code >> 5]! |= 1 << (code & 31);
  }
  let count = 0;
  for (const word of seen) for (let rest = word; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
