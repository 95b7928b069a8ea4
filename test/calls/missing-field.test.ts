/** Which argument a tool misses: only declared ones that were left out count, whatever words it uses. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { complaintIn, missingFields } from "../../src/calls/missing-field.ts";

const schema = {
  type: "object",
  properties: { timezone: { type: "string" }, account_id: {}, "unit.name": {}, user: {}, Name: {}, NAME: {}, authentication: {} },
};

describe("words that name a missing argument", () => {
  test.each([
    ["Required parameter 'timezone'"],
    ["required parameter 'timezone' is missing"],
    ["Required argument: timezone"],
    ["'timezone' is required"],
    ['Error: "timezone" is required.'],
    ["`timezone` is a required"],
    ["timezone is required"],
    ["Error: timezone is required"],
    ["missing required argument 'timezone'"],
    ["Missing required parameter: timezone"],
    ["missing 'timezone'"],
    ["the missing parameter timezone."],
    ["expected field timezone"],
    ["Expected parameter `timezone` to be set"],
    ["timezone: must be provided"],
    ["1 validation error for call[now]\ntimezone\n  Field required [type=missing_argument]"],
    ['[{"code":"invalid_type","path":["timezone"],"message":"Required"}]'],
    ['[{"path": ["timezone"], "message": "Invalid input: expected string, received undefined"}]'],
    ["TIMEZONE IS REQUIRED"],
    ["'TimeZone' is required"],
  ])("%s", (text) => {
    expect(missingFields(text, schema, {})).toEqual(["timezone"]);
  });
});

describe("words that do not", () => {
  test.each([
    ["prose about something undeclared", "permission is required", {}],
    ["prose inside of a sentence", "a logged in user is required", {}],
    ["an argument that was sent", "'timezone' is required", { timezone: "UTC" }],
    ["an argument that was sent as null", "'timezone' is required", { timezone: null }],
    ["a part of a longer name", "'my_timezone' is required", {}],
    ["a path into an argument", "'timezone.name' is required", {}],
    ["a name that two parameters could mean", "'name' is required", {}],
    ["a name that every object has", "'constructor' is required", {}],
    ["missing in prose", "the user is missing permissions", {}],
    ["something expected in prose", "expected user to exist", {}],
    ["a message that is about its format", "timezone: must be an IANA name", {}],
    ["a parameter beyond what is looked at", `${" ".repeat(16_000)}'timezone' is required`, {}],
  ])("%s", (_, text, args) => {
    expect(missingFields(text, schema, args)).toEqual([]);
  });
});

test("prose does not hide what follows it", () => {
  expect(missingFields("permission is required; 'timezone' is required", schema, {})).toEqual(["timezone"]);
});

test("several are found in the order of the patterns", () => {
  expect(missingFields("'account_id' is required, required parameter 'timezone'", schema, {})).toEqual(["timezone", "account_id"]);
});

test("whatever stands in the text, only declared parameters that were left out are found", () => {
  const words = fc.constantFrom(
    "timezone",
    "'user'",
    "is required",
    "missing",
    "required parameter",
    ":",
    "\n",
    "x",
    '"account_id"',
    "must be provided",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(words, fc.string()), { maxLength: 30 }), fc.boolean(), (parts, sent) => {
      const found = missingFields(parts.join(" "), schema, sent ? { timezone: 1, user: 1, account_id: 1 } : {});
      for (const field of found) expect(Object.hasOwn(schema.properties, field) && !sent).toBe(true);
    }),
  );
});

test("a long text without spaces takes no time to speak of", () => {
  const text = "required parameter ".repeat(800) + "'".repeat(4000);
  expect(missingFields(text.repeat(10), schema, {})).toEqual([]);
});

const result = (text: string, isError?: boolean) =>
  ({ kind: "result", result: { content: [{ type: "text", text }], ...(isError !== undefined && { isError }) } }) as const;

describe("a complaint", () => {
  test.each([
    ["a result with isError", result("no", true), { text: "no", soft: false }],
    ["a JSON-RPC error", { kind: "rpc_error", code: -32602, message: "no" } as const, { text: "MCP error -32602: no", soft: false }],
    ["a small object with an error", result('{"error":"no"}'), { text: "no", soft: true }],
    ["the same with a capital", result(' {"Error":"no"}', false), { text: "no", soft: true }],
  ])("is %s", (_, outcome, complaint) => {
    expect(complaintIn(outcome)).toEqual(complaint);
  });

  test.each([
    ["a good result", result("done")],
    ["an unknown method", { kind: "rpc_error", code: -32601, message: "'timezone' is required" } as const],
    ["an object with a message", result('{"message":"no"}')],
    ["an object whose error is no text", result('{"error":{"code":1}}')],
    ["a list", result('[{"error":"no"}]')],
    ["broken JSON", result('{"error":"no"')],
    ["an object that is too long", result(JSON.stringify({ error: "no", more: "x".repeat(4096) }))],
    ["a lost call", { kind: "lost", reason: "" } as const],
    ["a result without content", { kind: "result", result: {} } as const],
    ["content of another kind", { kind: "result", result: { content: "{}" } } as const],
  ])("is not %s", (_, outcome) => {
    expect(complaintIn(outcome)).toBeUndefined();
  });
});
