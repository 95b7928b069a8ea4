/** One event as one line for people. */
import type { Envelope } from "../../events/envelope.ts";
import { dim, inline, time } from "./print.ts";

const STREAM = 20;
const TYPE = 20;

/** `position  time  stream  type  data`; the call's id stands in the data. */
export function eventLine({ position, at, stream, type, data, payload }: Envelope): string {
  const free = payload === undefined ? "" : dim(`  + ${shortText(payload)}`);
  return `${String(position).padStart(6)}  ${dim(time(at))}  ${shortIds(stream).padEnd(STREAM)}  ${type.padEnd(TYPE)}  ${factsOf(data)}${free}`;
}

const LONGEST = 80;
/** Digests and ids that nobody reads to their end. */
const LONG_HEX = /\b([0-9a-f]{8})[0-9a-f]{24,}\b/g;

/** `key=value` of everything in the data, long digests and ids cut. */
export function factsOf(data: object): string {
  return Object.entries(data)
    .map(([key, value]) => `${key}=${typeof value === "string" ? shortIds(inline(value)) : shortText(value)}`)
    .join(" ");
}

/** `s_c47139d124083e4c7d089d51c43d7864` → `s_c47139d1…`. */
export const shortIds = (text: string): string => text.replace(LONG_HEX, "$1…").replace(/\bs_([0-9a-f]{8})[0-9a-f]{24}\b/g, "s_$1…");

/** A value as JSON in one line, cut. */
export function shortText(value: unknown): string {
  const text = inline(JSON.stringify(value));
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
