/** Assets whose label says `redact`: where they stand in what servers answer. */
import type { Classification } from "../../events/policy.ts";
import { patternOf } from "./pattern.ts";

/** Calls back with parts `[start, end)` in UTF-16 units, and the family of their markers. */
export type Find = (text: string, found: (start: number, end: number, family: string) => void) => void;

const made = new WeakMap<Classification, Find | undefined>();

/** Undefined where nothing is to be hidden: made once for a policy. */
export function redactionOf(classification: Classification): Find | undefined {
  if (!made.has(classification)) made.set(classification, make(classification));
  return made.get(classification);
}

function make({ mode, assets, actions }: Classification): Find | undefined {
  if (mode !== "enforce") return undefined;
  const labels = new Set(Object.entries(actions).flatMap(([label, action]) => (action === "redact" ? [label.toLowerCase()] : [])));
  const parts = assets.flatMap(({ match, label }) => {
    const pattern = labels.has(label.toLowerCase()) ? patternOf(match) : "";
    return typeof pattern === "string" ? [] : [{ pattern, family: familyOf(label) }];
  });
  if (parts.length === 0) return undefined;
  return (text, found) => {
    for (const { pattern, family } of parts) pattern.each(text, (start, end) => found(start, end, family));
  };
}

/** A label as it may stand in a marker. */
const familyOf = (label: string): string =>
  label
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, "-")
    .slice(0, 32);
