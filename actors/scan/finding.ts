/** What was found in the words of a server, and the piece of text that shows it. */
import { showInvisible } from "../visible-text.ts";

export type FindingKind = "hidden-instruction" | "invisible" | "bidi" | "ansi" | "shadowing" | "confusable" | "oversize";
export type Severity = "low" | "medium" | "high";
export interface Finding {
  readonly kind: FindingKind;
  readonly severity: Severity;
  /** A JSON pointer into what was scanned, or the name of the text. */
  readonly where: string;
  /** At most 120 characters on one line, with everything hidden shown as `\u{…}`. */
  readonly excerpt: string;
}

const MAX_EXCERPT = 120;
/** Characters shown in front of what was found. */
const LEAD = 16;

/** The text from a little before `at`. */
export function excerptOf(text: string, at: number): string {
  const from = Math.max(0, at - LEAD);
  const piece = text.slice(from, from + MAX_EXCERPT).toWellFormed();
  const shown = `${from > 0 ? "…" : ""}${showInvisible(piece).replace(/\s+/g, " ").trim()}`;
  if (shown.length <= MAX_EXCERPT && from + MAX_EXCERPT >= text.length) return shown;
  return `${shown.slice(0, MAX_EXCERPT - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
