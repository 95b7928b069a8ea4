/** Parts of a text that are to be hidden: put in order, joined where they overlap, replaced in one pass. */
import type { Pattern } from "./matcher.ts";

/** `[start, end)` in UTF-16 units. */
export interface Range {
  readonly start: number;
  readonly end: number;
  readonly family: string;
}

const BASE64_UNIT = /^[A-Za-z0-9+/_-]$/;

/** What a match hides: its own text, and the base64 characters beside it that hold some bits of the secret. */
export function rangeOf(text: string, start: number, pattern: Pattern): Range {
  const end = start + pattern.text.length;
  const before = pattern.before && BASE64_UNIT.test(text.charAt(start - 1));
  const after = pattern.after && BASE64_UNIT.test(text.charAt(end));
  return { start: before ? start - 1 : start, end: after ? end + 1 : end, family: pattern.family };
}

/** What of a range lies outside of the holes, which are given in order. */
export function outside(
  { start, end, family }: Range,
  holes: readonly { readonly start: number; readonly end: number }[],
): readonly Range[] {
  const pieces: Range[] = [];
  let from = start;
  let low = 0;
  for (let high = holes.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((holes[middle]?.end ?? 0) <= from) low = middle + 1;
    else high = middle;
  }
  for (let hole = holes[low]; hole && hole.start < end; low += 1, hole = holes[low]) {
    if (hole.start > from) pieces.push({ start: from, end: hole.start, family });
    from = hole.end;
  }
  if (from < end) pieces.push({ start: from, end, family });
  return pieces;
}

/** Adds a range; one that overlaps the range added last, and does not begin before it, makes that one longer instead. */
export function addRange(ranges: Range[], range: Range): void {
  const last = ranges.at(-1);
  if (!last || range.start >= last.end || range.start < last.start) ranges.push(range);
  else if (range.end > last.end) ranges[ranges.length - 1] = { ...last, end: range.end };
}

/**
 * Replaces the ranges, given in any order. Overlapping ones become one, so that no piece of either is left; it takes the family of
 * the one that begins first. Ranges outside of the text are cut to it, empty ones ignored.
 */
export function replaceRanges(text: string, ranges: readonly Range[], replacement: (original: string, family: string) => string): string {
  const parts: string[] = [];
  let copied = 0;
  for (const { start, end, family } of joined(text.length, ranges)) {
    parts.push(text.slice(copied, start), replacement(text.slice(start, end), family));
    copied = end;
  }
  parts.push(text.slice(copied));
  return parts.join("");
}

function joined(length: number, ranges: readonly Range[]): readonly Range[] {
  const result: Range[] = [];
  const clean = ranges
    .map(({ start, end, family }) => ({ start: Math.max(0, start), end: Math.min(length, end), family }))
    .filter(({ start, end }) => start < end)
    .sort((a, b) => a.start - b.start || b.end - a.end);
  for (const range of clean) addRange(result, range);
  return result;
}
