/** Points of history on the command line: a position, or a time. */
import { InvalidArgumentError } from "commander";
import { type Point, positionAt } from "../audit/state-at.ts";
import type { Reader } from "../log/reader.ts";

/** Digits are a position, anything else a time. Throws commander's error for a bad option value. */
export function pointOf(text: string): Point {
  if (/^\d{1,15}$/.test(text)) return { position: Number(text) };
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new InvalidArgumentError("a position, or a time such as 2026-01-31T12:00:00Z.");
  return { time };
}

/** The last position that is not later than the point. */
export const positionOf = (reader: Reader, point: Point): number => ("position" in point ? point.position : positionAt(reader, point.time));

/** The last position that is earlier than the point; 0 when there is none. */
export const positionBefore = (reader: Reader, point: Point): number =>
  "position" in point ? Math.max(0, point.position - 1) : positionAt(reader, point.time - 1);
