/** The few arguments whose value the environment knows: where we are, and when it is. */
import type { ValueSource } from "../../events/repeat.ts";
import { isRecord, typesOf } from "./parameters.ts";

export interface KnownValue {
  readonly source: ValueSource;
  readonly value: string;
}
export interface Environment {
  /** IANA name. */
  readonly timeZone: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** By the parameter's name in lower case, without `_` and `-`. */
const SOURCES: ReadonlyMap<string, ValueSource> = new Map([
  ["timezone", "time_zone"],
  ["tz", "time_zone"],
  ["now", "time"],
  ["currenttime", "time"],
  ["referencetime", "time"],
]);

/** `parameter` is the field's schema. Undefined: nobody knows it, or the schema would not take it. */
export function knownValue(field: string, parameter: unknown, { timeZone, now }: Environment): KnownValue | undefined {
  const source = SOURCES.get(field.toLowerCase().replace(/[_-]/g, ""));
  if (source === undefined) return undefined;
  const value = source === "time_zone" ? timeZone : isoWithOffset(now, timeZone);
  return takes(parameter, value) ? { source, value } : undefined;
}

function takes(parameter: unknown, value: string): boolean {
  const types = typesOf(parameter);
  if (types !== undefined && !types.includes("string")) return false;
  const values = isRecord(parameter) ? parameter["enum"] : undefined;
  return !Array.isArray(values) || values.includes(value);
}

/** `2026-07-28T12:30:00+02:00` */
export function isoWithOffset(at: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" }).formatToParts(at);
  const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign = "+", hours = "00", minutes = "00"] = /^GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  const ahead = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return `${new Date(at + ahead).toISOString().slice(0, 19)}${sign}${hours}:${minutes}`;
}
