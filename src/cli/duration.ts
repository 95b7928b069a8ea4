/** Durations on the command line: 500ms, 30s, 10m, 2h. */
import { InvalidArgumentError } from "commander";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** In milliseconds. Throws commander's error for a bad option value. */
export function durationOf(text: string): number {
  const [, number, unit = ""] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  const factor = UNITS[unit];
  if (number === undefined || factor === undefined || Number(number) === 0)
    throw new InvalidArgumentError("a duration is a number with its unit, such as 30s or 10m.");
  return Number(number) * factor;
}
