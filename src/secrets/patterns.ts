/** Recognises credentials by their looks, in one pass from left to right. */
import { ALPHANUMERIC, CLASSES, classAt, DIGIT, runEnd, SIGN } from "./alphabet.ts";
import { assignmentAt, memberIn, sentenceAt } from "./assignments.ts";
import { RULES } from "./families.ts";
import { curlUserAt } from "./headers.ts";
import { manifestsIn, mayBeManifest } from "./manifests.ts";
import { privateKeyEnd } from "./pem.ts";
import { type Scan, scanOf } from "./scan.ts";
import { argumentAt, elementAt, flagAt } from "./settings.ts";
import { azureAt, facebookAt, telegramAt } from "./shapes.ts";
import { mayBegin, type Token, tokenAt } from "./tokens.ts";
import { uriAt } from "./uris.ts";
import type { Patterns } from "./vault.ts";

const FAMILIES: readonly string[] = [
  ...new Set(RULES.map(({ family }) => family)),
  ..."authorization azure cookie credential discord facebook jwt kubernetes password private-key telegram uri".split(" "),
];

/** Shorter texts hold nothing that is looked for. */
const SHORTEST = 6;

/**
 * Finds the credentials in a text, in time linear in it. `name`: of the member whose value the text is, or undefined.
 * The parts that it finds may overlap: a value that is named like a credential, and a token in it.
 */
function findPatterns(text: string, name: string | undefined, found: Scan["found"]): void {
  const { length } = text;
  if (length < SHORTEST) return;
  const scan = scanOf(text, found);
  if (name !== undefined) memberIn(scan, name);
  for (let at = 0; at < length; ) {
    const bits = CLASSES[text.charCodeAt(at)]!;
    if ((bits & ALPHANUMERIC) !== 0) {
      const before = at === 0 ? 0 : text.charCodeAt(at - 1);
      const token =
        before === BACKSLASH || before === PERCENT
          ? behindEscape(scan, at, before)
          : mayBegin(text, at)
            ? tokenAt(scan, at, false)
            : undefined;
      at = token ? found(token.start, token.end, token.family) : wordAt(scan, at);
    } else if ((bits & SIGN) !== 0) at = Math.max(at + 1, signAt(scan, at));
    else at += 1;
  }
  if (scan.manifest) manifestsIn(scan);
}

/** All of it, for a vault. */
export const patterns: Patterns = { families: FAMILIES, find: findPatterns };

/** The family of secrets that a value as a whole looks like, or undefined. */
export function familyOf(value: string): string | undefined {
  const core = value.trim();
  let family: string | undefined;
  findPatterns(core, undefined, (start, end, name) => {
    if (start === 0 && end === core.length) family = name;
    return end;
  });
  return family;
}

/** A word that begins no token: the end of it, or of the value that it gives to a credential (`my password is …`). */
function wordAt(scan: Scan, at: number): number {
  const end = runEnd(scan.text, at + 1, ALPHANUMERIC);
  return end - at === 2 && scan.text.startsWith("is", at) ? Math.max(end, sentenceAt(scan, at)) : end;
}

const BACKSLASH = 92;
const PERCENT = 37;

/** The token at a word's beginning, or behind an escape at its beginning: `\\n`, `\\u003d`, `%3D`. */
function behindEscape(scan: Scan, at: number, before: number): Token | undefined {
  const length = before === PERCENT ? 2 : scan.text[at] === "u" ? 5 : 1;
  return tokenAt(scan, at, false) ?? tokenAt(scan, at + length, true);
}

function signAt(scan: Scan, at: number): number {
  const { text } = scan;
  switch (text[at]) {
    case ":": {
      if (text[at + 1] === "/" && text[at + 2] === "/") return uriAt(scan, at);
      const end = (classAt(text, at - 1) & DIGIT) !== 0 ? telegramAt(scan, at) : at;
      if (end > at) return end;
      scan.manifest ||= mayBeManifest(text, at);
      return assignmentAt(scan, at);
    }
    case "=":
      return assignmentAt(scan, at);
    case ">":
      return elementAt(scan, at);
    case ",":
      return argumentAt(scan, at);
    case "-":
      return dashAt(scan, at);
    case "~":
      return azureAt(scan, at);
    default:
      return facebookAt(scan, at);
  }
}

function dashAt(scan: Scan, at: number): number {
  const { text, found } = scan;
  if (text[at + 1] !== "-") return curlUserAt(scan, at);
  if (text[at + 2] !== "-") return Math.max(flagAt(scan, at), curlUserAt(scan, at));
  const end = privateKeyEnd(text, at);
  return end > at ? found(at, end, "private-key") : at + 1;
}
