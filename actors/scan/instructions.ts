/** Finds orders to the model in a text, also where they stand in base64. */
import { excerptOf, type Finding } from "./finding.ts";
import { type Folded, fold } from "./fold.ts";
import { MARKERS, PHRASES, type Phrase } from "./phrases.ts";
import { matchAt, wordsOf } from "./words.ts";

/** Of one text; who has read that many knows enough. */
const MAX_FINDINGS = 5;
/** Shorter ones say nothing; most texts of a schema are. */
const MIN_TEXT = 8;
const BASE64 = /[A-Za-z0-9+/_-]{40,}/g;
const MAX_DECODED = 16_384;

interface Found {
  readonly severity: Phrase["severity"];
  /** Offsets in the folded text. */
  readonly start: number;
  readonly end: number;
}

/** The orders in a text, in the order of the text. */
export function scanInstructions(text: string, where: string): readonly Finding[] {
  if (text.length < MIN_TEXT) return [];
  const folded = fold(text);
  const found = [...phrasesIn(folded), ...markersIn(folded.text)].sort((a, b) => a.start - b.start);
  const plain = found.map(({ severity, start }) => finding(severity, where, excerptOf(text, folded.origin(start))));
  return [...plain, ...encodedIn(text, where)].slice(0, MAX_FINDINGS);
}

const finding = (severity: Phrase["severity"], where: string, excerpt: string): Finding => ({
  kind: "hidden-instruction",
  severity,
  where,
  excerpt,
});

/** Each stretch of text counts once, by the gravest phrase that stands there. */
function phrasesIn(folded: Folded): readonly Found[] {
  const words = wordsOf(folded);
  const found: Found[] = [];
  for (const [from, word] of words.entries())
    for (const { severity, steps } of PHRASES.get(word.text) ?? []) {
      const end = matchAt(words, from, steps);
      if (end === undefined) continue;
      const last = found.at(-1);
      const one = { severity, start: word.start, end: words[end - 1]?.end ?? word.end };
      if (last === undefined || one.start >= last.end) found.push(one);
      else if (last.severity === "medium" && severity === "high") found.splice(-1, 1, one);
      break;
    }
  return found;
}

function markersIn(text: string): readonly Found[] {
  if (!/[<[]/.test(text)) return [];
  return MARKERS.flatMap(({ severity, text: marker }) => {
    const start = text.indexOf(marker);
    return start < 0 ? [] : [{ severity, start, end: start + marker.length }];
  });
}

/** Whoever encodes an order means to hide it. */
function encodedIn(text: string, where: string): readonly Finding[] {
  for (const { 0: run, index } of text.matchAll(BASE64)) {
    const hidden = fold(decoded(run));
    if (phrasesIn(hidden).length > 0 || markersIn(hidden.text).length > 0) return [finding("high", where, excerptOf(text, index))];
  }
  return [];
}

function decoded(run: string): string {
  const whole = run.slice(0, Math.min(run.length, MAX_DECODED) & ~3);
  return atob(whole.replaceAll("-", "+").replaceAll("_", "/"));
}
