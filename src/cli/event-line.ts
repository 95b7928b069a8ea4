/** One event as one line for people. */
import type { Envelope } from "../../events/envelope.ts";
import { cut, dim, inline, time, width } from "./print.ts";

const STREAM = 20;
const TYPE = 20;

/** With less room than this behind them, what an event says goes into a line of its own. */
const LEAST = 40;
const INDENT = " ".repeat(8);

/** `position  time  stream  type  data`, cut where the terminal ends; the call's id stands in the data. On a narrow terminal these are two lines. */
export function eventLine({ position, at, stream, type, data, payload }: Envelope, columns = width()): string {
  const number = `${String(position).padStart(6)}  `;
  const rest = `  ${shortIds(stream).padEnd(STREAM)}  ${type.padEnd(TYPE)}`;
  const used = number.length + time(at).length + rest.length + 2;
  const isNarrow = columns - used < LEAST;
  const facts = cut(factsOf(data), columns - (isNarrow ? INDENT.length : used));
  const free = payload === undefined ? "" : `  + ${shortText(payload)}`;
  // Cut before it is painted: a line may not end in the middle of a colour.
  const said = `${facts}${dim(cut(free, columns - (isNarrow ? INDENT.length : used) - facts.length))}`;
  const head = `${number}${dim(time(at))}${rest}`;
  return said === "" || isNarrow ? `${head.trimEnd()}${said === "" ? "" : `\n${INDENT}`}${said}` : `${head}  ${said}`;
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
