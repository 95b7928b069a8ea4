/** What the environment knows: the zone and the time, and nothing that a schema would not take. */
import { expect, test } from "bun:test";
import { isoWithOffset, knownValue } from "../../src/calls/known-values.ts";

const here = { timeZone: "Asia/Kolkata", now: Date.UTC(2026, 6, 28, 10, 30) };

test.each([
  ["timeZone", "time_zone", "Asia/Kolkata"],
  ["timezone", "time_zone", "Asia/Kolkata"],
  ["time_zone", "time_zone", "Asia/Kolkata"],
  ["tz", "time_zone", "Asia/Kolkata"],
  ["now", "time", "2026-07-28T16:00:00+05:30"],
  ["currentTime", "time", "2026-07-28T16:00:00+05:30"],
  ["reference_time", "time", "2026-07-28T16:00:00+05:30"],
] as const)("%s is the %s", (field, source, value) => {
  expect(knownValue(field, { type: "string" }, here)).toEqual({ source, value });
  expect(knownValue(field, {}, here)).toEqual({ source, value });
});

test.each([
  ["anything else", "account_id", { type: "string" }],
  ["a part of a name", "timezone_offset", { type: "string" }],
  ["a number", "now", { type: "integer" }],
  ["one of other values", "tz", { type: "string", enum: ["UTC"] }],
])("%s is not known", (_, field, parameter) => {
  expect(knownValue(field, parameter, here)).toBeUndefined();
});

test("one of several types or values is", () => {
  expect(knownValue("tz", { type: ["null", "string"], enum: ["UTC", "Asia/Kolkata"] }, here)?.value).toBe("Asia/Kolkata");
});

test.each([
  ["UTC", Date.UTC(2026, 0, 1), "2026-01-01T00:00:00+00:00"],
  ["Europe/Berlin", Date.UTC(2026, 0, 1), "2026-01-01T01:00:00+01:00"],
  ["Europe/Berlin", Date.UTC(2026, 6, 1), "2026-07-01T02:00:00+02:00"],
  ["America/St_Johns", Date.UTC(2026, 0, 1), "2025-12-31T20:30:00-03:30"],
])("in %s it is %d as %s", (zone, at, text) => {
  expect(isoWithOffset(at, zone)).toBe(text);
  expect(Date.parse(text)).toBe(at);
});
