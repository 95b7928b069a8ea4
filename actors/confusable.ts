/** Names that look alike: two of them are confusable when they differ and have the same skeleton. */
import { replaceHidden } from "./visible-text.ts";

/** What is meant, and the letters of other alphabets (and forms of our own) that look like it. Capitals stand here where they look like another letter than their small form. */
const LOOKALIKES: readonly (readonly [string, string])[] = [
  ["a", "\u0430\u03b1\u0251\u0391\u0410\u1d00"],
  ["b", "\u042c\u044c\u0185\u0299\u0392\u0412\u0432\u03b2"],
  ["c", "\u0441\u03f2\u0421\u03f9\u1d04"],
  ["d", "\u0501\u0257\u1d05"],
  ["e", "\u0435\u0454\u04bd\u212e\u025b\u0395\u0415\u03b5\u1d07"],
  ["g", "\u0261\u0581\u0262"],
  ["h", "\u04bb\u0570\u029c\u0397\u041d\u043d"],
  ["i", "\u0456\u03b9\u0131\u0269\u04cf\u0399\u0406\u04c0\u026a"],
  ["j", "\u0458\u03f3\u0408\u1d0a"],
  ["k", "\u043a\u03ba\u039a\u041a\u1d0b"],
  ["l", "\u01c0\u2223\u05c0\u029f"],
  ["m", "\u043c\u039c\u041c\u1d0d"],
  ["n", "\u043f\u03b7\u0578\u039d\u0274"],
  ["o", "\u043e\u03bf\u03c3\u0585\u0e50\u2d54\u039f\u041e\u1d0f"],
  ["p", "\u0440\u03c1\u03a1\u0420\u1d18"],
  ["q", "\u051b\u0566"],
  ["r", "\u0433\u1d26\u0280"],
  ["s", "\u0455\u0282\u0405\ua731"],
  ["t", "\u0442\u03c4\u03a4\u0422\u1d1b"],
  ["u", "\u03c5\u057d\u028b\u1d1c"],
  ["v", "\u03bd\u0475\u1d20"],
  ["w", "\u0461\u03c9\u051d\u0561\u1d21"],
  ["x", "\u0445\u03c7\u00d7\u03a7\u0425"],
  ["y", "\u0443\u03b3\u04af\u028f\u03a5\u0423\u04ae"],
  ["z", "\u1d22\u0290\u0396"],
  ["-", "\u2010\u2012\u2013\u2014\u2015\u2212\u2043"],
  [".", "\u2027\u00b7\u2022"],
  ["/", "\u2044\u2215\u2571"],
];
const BY_LOOK: ReadonlyMap<string, string> = new Map(
  LOOKALIKES.flatMap(([meant, looks]) => [...looks].map((look) => [look, meant] as const)),
);
/** Letters of ASCII that look like each other in one typeface or another, and marks that only separate words. */
const ASCII: Readonly<Record<string, string>> = { "0": "o", "1": "l", i: "l", "|": "l", _: "-", ".": "-", " ": "-" };
const ACCENTS = /[\u0300-\u036f]/gu;

/** What one character looks like, in lower case. */
export function lookOf(char: string): string {
  const lower = char.toLowerCase();
  return BY_LOOK.get(char) ?? BY_LOOK.get(lower) ?? lower;
}

const withoutHidden = (text: string): string => replaceHidden(text, () => "");

/** The same for all names that a reader may take for each other. Only for comparing: it is no name. */
export function skeleton(name: string): string {
  if (isShownAscii(name)) return boned(name.toLowerCase().replace(/[01i|_. ]/g, (char) => ASCII[char] ?? char));
  let bones = "";
  for (const char of withoutHidden(withoutHidden(name).normalize("NFKD").replace(ACCENTS, ""))) {
    const look = lookOf(char);
    bones += ASCII[look] ?? look;
  }
  return boned(bones);
}

const boned = (text: string): string => text.replaceAll("rn", "m").replaceAll("vv", "w");
const isShownAscii = (text: string): boolean => /^[ -~]*$/.test(text);

export const isConfusable = (one: string, other: string): boolean => one !== other && skeleton(one) === skeleton(other);

/** Whether a name seems to be of plain letters only and is not: letters of other alphabets stand in for ours. */
export function isDisguised(name: string): boolean {
  const chars = [...name.normalize("NFKC")];
  const isForeign = !isAscii(name) && chars.length >= MIN_DISGUISED && /[^\P{L}A-Za-z]/u.test(name);
  return isForeign && isAscii(chars.map(lookOf).join(""));
}
/** Shorter ones are words and symbols of their own alphabet. */
const MIN_DISGUISED = 3;

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is meant
const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/u.test(text);
