/** The words by which somebody agrees to something or does not. */
import { fold } from "../scan/fold.ts";

const WORDS = new Set(
  `yes no y n true false ok okay confirm confirmed cancel cancelled canceled approve approved deny denied reject rejected accept accepted
  decline declined allow disallow proceed continue abort stop skip ja nein oui non si`.split(/\s+/),
);
const MARKS_AROUND = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;
/** No such word is longer, whatever stands around it. */
const LONGEST = 64;

export function isDecisionWord(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST) return false;
  return WORDS.has(fold(trimmed.normalize("NFD").replace(/\p{M}+/gu, "")).text.replace(MARKS_AROUND, ""));
}
