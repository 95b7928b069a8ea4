/** Judges the hidden characters of a text: do they carry something, or were they only left behind? */
import { type Hidden, type HiddenKind, hiddenIn, isRightToLeft } from "../visible-text.ts";
import { excerptOf, type Finding, type FindingKind, type Severity } from "./finding.ts";

/** From so many on, characters that show nothing can spell something: eight bits are a letter, four selectors are four bytes. */
const MESSAGE_BLANKS = 8;
const MESSAGE_SELECTORS = 4;
const OVERRIDES = new Set([0x202d, 0x202e]);
/** They take back what stands before them. */
const ERASERS = new Set([0x08, 0x7f]);

const KIND: Readonly<Record<HiddenKind, FindingKind>> = {
  escape: "ansi",
  control: "ansi",
  bidi: "bidi",
  mark: "bidi",
  tag: "invisible",
  selector: "invisible",
  blank: "invisible",
  half: "invisible",
};
const RANK: Readonly<Record<Severity, number>> = { low: 0, medium: 1, high: 2 };

/** One finding of a kind, the gravest; most texts have none. */
export function scanCharacters(text: string, where: string): readonly Finding[] {
  const hidden = hiddenIn(text);
  if (hidden.length === 0) return [];
  const judge = judgeOf(text, hidden);
  const worst = new Map<FindingKind, { severity: Severity; at: number }>();
  for (const one of hidden) {
    const kind = KIND[one.kind];
    const severity = judge(one);
    const known = worst.get(kind);
    if (known === undefined || RANK[severity] > RANK[known.severity]) worst.set(kind, { severity, at: one.at });
  }
  return [...worst].map(([kind, { severity, at }]) => ({ kind, severity, where, excerpt: excerptOf(text, at) }));
}

function judgeOf(text: string, hidden: readonly Hidden[]): (one: Hidden) => Severity {
  const count = (kind: HiddenKind) => hidden.filter((one) => one.kind === kind).length;
  const blanks: Severity = count("blank") >= MESSAGE_BLANKS ? "high" : "low";
  const selectors: Severity = count("selector") >= MESSAGE_SELECTORS ? "high" : "low";
  const directed: Severity = isRightToLeft(text) ? "low" : "high";
  const isLetter = (at: number) => /[a-z]/i.test(text.charAt(at));
  return ({ kind, code, at, length }) => {
    switch (kind) {
      case "escape":
      case "tag":
        return "high";
      case "bidi":
        return OVERRIDES.has(code) ? "high" : directed;
      case "selector":
        return selectors;
      case "blank": // inside a word it keeps others from finding the word
        return blanks === "low" && code !== 0xad && isLetter(at - 1) && isLetter(at + length) ? "medium" : blanks;
      case "control":
        return ERASERS.has(code) ? "medium" : "low";
      case "mark":
      case "half":
        return "low";
    }
  };
}
