/** Finds phrases in a text: words in an order, with a bounded number of others between them. Linear in the length of the text. */
import type { Folded } from "./fold.ts";

export interface Word {
  /** Empty: a sentence ends here. */
  readonly text: string;
  /** Offsets in the folded text. */
  readonly start: number;
  readonly end: number;
}
/** One place of a phrase: so many words may stand before it, and one of these sequences of words stands there. */
export interface Step {
  readonly gap: number;
  /** By their first word. */
  readonly choices: ReadonlyMap<string, readonly (readonly string[])[]>;
}

/** A word may have a dot in front (`.ssh`) and apostrophes inside; each Chinese character is a word. */
const WORD = /\p{sc=Han}|(?<![\p{L}\p{N}])\.?[[\p{L}\p{N}\p{M}'’]--\p{sc=Han}]+|[.!?。！？](?=[\s"'”’\)]|$)|\n\s*\n/gv;
const QUOTES = /['’]/g;

export function wordsOf({ text }: Pick<Folded, "text">): readonly Word[] {
  const words: Word[] = [];
  for (const { 0: match, index: start } of text.matchAll(WORD)) {
    const isBreak = /^[.!?。！？\n]$|^\n/.test(match);
    const word = isBreak ? "" : match.replace(QUOTES, "");
    if (isBreak || word !== "") words.push({ text: word, start, end: start + match.length });
  }
  return words;
}

/** `ignore|do not ..3 rules` reads: "ignore" or "do not", at most three words, "rules". `_` joins the words of one choice. */
export function stepsOf(phrase: string): readonly Step[] {
  const steps: Step[] = [];
  let gap = 0;
  for (const part of phrase.split(" ")) {
    if (part.startsWith("..")) gap = Number(part.slice(2));
    else {
      const choices = new Map<string, string[][]>();
      for (const choice of part.split("|")) {
        const words = wordsOf({ text: choice.replaceAll("_", " ") }).map(({ text }) => text);
        choices.set(words[0] ?? "", [...(choices.get(words[0] ?? "") ?? []), words]);
      }
      steps.push({ gap, choices });
      gap = 0;
    }
  }
  return steps;
}

/** The index behind the last word of a phrase that starts at `from`; undefined when it does not stand there. */
export function matchAt(words: readonly Word[], from: number, steps: readonly Step[]): number | undefined {
  let ends: ReadonlySet<number> = new Set([from]);
  for (const { gap, choices } of steps) {
    const next = new Set<number>();
    for (const at of reach(words, ends, gap))
      for (const choice of choices.get(words[at]?.text ?? "") ?? [])
        if (choice.every((word, offset) => words[at + offset]?.text === word)) next.add(at + choice.length);
    if (next.size === 0) return undefined;
    ends = next;
  }
  return Math.min(...ends);
}

/** Where a next word may stand: at most `gap` words on, each place once, and not across the end of a sentence. */
function reach(words: readonly Word[], from: ReadonlySet<number>, gap: number): ReadonlySet<number> {
  const places = new Set<number>();
  for (const start of from) for (let at = start; at <= start + gap && at < words.length && words[at]?.text !== ""; at += 1) places.add(at);
  return places;
}
