/** Finds characters that nobody sees or that a terminal obeys, and makes them visible. */

/**
 * `escape` starts a terminal sequence, `control` is any other control character, `bidi` reorders text, `mark` is a harmless direction
 * mark, `tag` and `selector` can spell out text of their own, `blank` shows nothing, `half` is half of a surrogate pair.
 */
export type HiddenKind = "escape" | "control" | "bidi" | "mark" | "tag" | "selector" | "blank" | "half";
export interface Hidden {
  /** Offset in UTF-16 units. */
  readonly at: number;
  /** In UTF-16 units. */
  readonly length: number;
  readonly code: number;
  readonly kind: HiddenKind;
}

/** Everything without a shape of its own, but tabs and line feeds. */
const HIDDEN = /[[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]--[\t\n]]/gv;
const EMOJI = /\p{Emoji}/u;
const PICTURE = /\p{Extended_Pictographic}/u;
/** In these scripts a joiner decides how letters are shaped. */
const JOINING =
  /[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}]/u;
const RIGHT_TO_LEFT = /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}]/u;
const HAN = /\p{sc=Han}/u;
/** What follows a black flag to make it the flag of a region. */
const REGION = /[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,6}\u{e007f}/uy;
const BLACK_FLAG = "\u{1f3f4}";
const SKIN_OR_STYLE = /[\u{1f3fb}-\u{1f3ff}\ufe0f]/u;

/** Whether a text is written from right to left, in part at least. */
export const isRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text);

/** Every hidden character that does not belong where it stands: emoji sequences and the joiners of a script are no news. Linear. */
export function hiddenIn(text: string): readonly Hidden[] {
  const found: Hidden[] = [];
  let skipTo = 0;
  let rightToLeft: boolean | undefined;
  for (const { 0: char, index: at } of text.matchAll(HIDDEN)) {
    if (at < skipTo) continue;
    const code = char.codePointAt(0) ?? 0;
    const kind = kindOf(code);
    if (kind === "tag" && before(text, at) === BLACK_FLAG) {
      REGION.lastIndex = at;
      if (REGION.test(text)) {
        skipTo = REGION.lastIndex;
        continue;
      }
    }
    if (kind === "mark") rightToLeft ??= isRightToLeft(text);
    const belongs = kind === "mark" ? rightToLeft === true && isShown(before(text, at)) : isInPlace(text, at, code);
    if (!belongs) found.push({ at, length: char.length, code, kind });
  }
  return found;
}

/** The text with something else in place of every hidden character; the same text where nothing is hidden. */
export function replaceHidden(text: string, replacement: (hidden: Hidden) => string): string {
  let shown = "";
  let from = 0;
  for (const hidden of hiddenIn(text)) {
    shown += `${text.slice(from, hidden.at)}${replacement(hidden)}`;
    from = hidden.at + hidden.length;
  }
  return from === 0 ? text : shown + text.slice(from);
}

/** Text of others as it may be shown: what is hidden in it stands as `\u{…}`. */
export const showInvisible = (text: string): string => replaceHidden(text, ({ code }) => `\\u{${code.toString(16)}}`);

function kindOf(code: number): HiddenKind {
  if (code === 0x1b || code === 0x90 || (code >= 0x98 && code <= 0x9f)) return "escape";
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return "control";
  if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) return "bidi";
  if (code === 0x200e || code === 0x200f || code === 0x61c) return "mark";
  if (code >= 0xe0000 && code <= 0xe007f) return "tag";
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)) return "selector";
  return code >= 0xd800 && code <= 0xdfff ? "half" : "blank";
}

/** Looks at two characters back, and one ahead. */
function isInPlace(text: string, at: number, code: number): boolean {
  const previous = before(text, at);
  if (code === 0x0d) return text[at + 1] === "\n";
  if (code === 0xfe0f || code === 0xfe0e) return EMOJI.test(previous);
  if (code >= 0xe0100 && code <= 0xe01ef) return HAN.test(previous);
  if (code === 0x200c || code === 0x200d) {
    if (JOINING.test(previous)) return true;
    const picture = SKIN_OR_STYLE.test(previous) ? before(text, at - previous.length) : previous;
    return code === 0x200d && PICTURE.test(picture) && PICTURE.test(String.fromCodePoint(text.codePointAt(at + 1) ?? 0));
  }
  return false;
}

const HIDDEN_ONE = new RegExp(HIDDEN.source, "v");
const isShown = (char: string): boolean => char.trim() !== "" && !HIDDEN_ONE.test(char);

/** The character that ends where another one starts; empty at the beginning. */
function before(text: string, at: number): string {
  const low = text.charCodeAt(at - 1);
  const isPair = low >= 0xdc00 && low <= 0xdfff && at >= 2;
  return at <= 0 ? "" : text.slice(isPair ? at - 2 : at - 1, at);
}
