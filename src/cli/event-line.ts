/** One event as one line for people. */
import type { Envelope } from "../../events/envelope.ts";
import { dim, inline, time } from "./print.ts";

const STREAM = 24;
const TYPE = 20;

/** `position  time  stream  type  data`; the call's id stands in the data. */
export function eventLine({ position, at, stream, type, data, payload }: Envelope): string {
  const shortStream = stream.length > STREAM ? `${stream.slice(0, STREAM - 1)}…` : stream.padEnd(STREAM);
  return `${String(position).padStart(6)}  ${dim(time(at))}  ${shortStream}  ${type.padEnd(TYPE)}  ${factsOf(data)}${payload === undefined ? "" : dim(`  + ${shortText(payload)}`)}`;
}

const LONGEST = 80;

/** `key=value` of everything in the data. */
export function factsOf(data: object): string {
  return Object.entries(data)
    .map(([key, value]) => `${key}=${typeof value === "string" ? inline(value) : shortText(value)}`)
    .join(" ");
}

/** A value as JSON in one line, cut. */
export function shortText(value: unknown): string {
  const text = inline(JSON.stringify(value));
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
