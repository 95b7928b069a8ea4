/** A text as its meaning is judged: lower case, look-alikes and hidden letters spelled out, with the way back to the original. */
import { lookOf } from "../confusable.ts";
import { type Hidden, hiddenIn } from "../visible-text.ts";

const MAX_PARTS = 4;

export interface Folded {
  readonly text: string;
  /** The offset in the original of an offset in `text`. */
  readonly origin: (at: number) => number;
}

/** Text of nothing but shown ASCII stays as it is, in lower case. Linear. */
export function fold(text: string): Folded {
  const lower = text.toLowerCase();
  const hidden = hiddenIn(text);
  if (hidden.length === 0 && /^[\t\n\r -~]*$/.test(text)) return { text: lower, origin: (at) => at };
  let folded = "";
  const origins: number[] = [];
  let next = 0;
  for (let at = 0; at < text.length; ) {
    const one = hidden[next];
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
    const meant = one?.at === at ? spelled(one) : plain(char);
    if (one?.at === at) next += 1;
    for (let unit = 0; unit < meant.length; unit += 1) origins.push(at);
    folded += meant;
    at += char.length;
  }
  return { text: folded, origin: (at) => origins[at] ?? text.length };
}

function plain(char: string): string {
  if (char <= "\u007f") return char.toLowerCase();
  const parts = char.normalize("NFKC");
  if (parts.length > MAX_PARTS) return char; // a whole sentence in one character is nobody's way to write
  let meant = "";
  for (const part of parts) meant += lookOf(part);
  return meant;
}

/** What a hidden character says to those that read codes: tags are letters, selectors are bytes. */
function spelled({ kind, code }: Hidden): string {
  const byte = kind === "tag" ? code - 0xe0000 : kind === "selector" && code >= 0xe0100 ? code - 0xe0100 + 16 : 0;
  return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte).toLowerCase() : "";
}
