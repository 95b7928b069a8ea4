/** The escapes of `$'…'`. */
import { type Source, Unreadable } from "./source.ts";

const LETTERS: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  E: "\u001b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
const NUMBER = /x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c([\s\S])/y;

/** Behind `$'`; leaves the source behind the closing quote. */
export function readAnsi(source: Source): string {
  const { text } = source;
  let read = "";
  for (;;) {
    const char = text[source.at++];
    if (char === undefined) throw new Unreadable("a quote is not closed");
    if (char === "'") return read;
    read += char === "\\" ? escaped(source) : char;
  }
}

function escaped(source: Source): string {
  const char = source.text[source.at] ?? "";
  // For a shell that does not know $'…' this quote closes, and what follows is code.
  if (char === "'") throw new Unreadable("an escaped quote in $'…' is read differently by different shells");
  NUMBER.lastIndex = source.at;
  const found = NUMBER.exec(source.text);
  if (!found) {
    source.at += 1;
    return LETTERS[char] ?? (/[\\"?]/.test(char) ? char : `\\${char}`);
  }
  source.at = NUMBER.lastIndex;
  const [, hex, short, long, octal, control] = found;
  const code = control === undefined ? Number.parseInt(hex ?? short ?? long ?? octal ?? "", octal === undefined ? 16 : 8) : undefined;
  const meant = code ?? (control ?? "").charCodeAt(0) & 31;
  if (meant === 0) throw new Unreadable("it holds a NUL character");
  return meant > 0x10ffff ? "\ufffd" : String.fromCodePoint(meant);
}
