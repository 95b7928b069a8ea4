/** Hints about arguments: each row is what a tool said, what it declares and what it was sent. No evidence, no hint. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { describeArgumentProblem } from "../../src/calls/diagnose.ts";
import type { Schema } from "../../src/calls/parameters.ts";

const mail: Schema = {
  type: "object",
  properties: {
    to: { type: "string" },
    count: { type: "integer" },
    weight: { type: "number" },
    urgent: { type: "boolean" },
    tags: { type: "array" },
    options: { type: "object" },
    either: { type: ["string", "integer"] },
    anything: {},
    reference: { $ref: "#/$defs/x" },
    odd: { type: "date" },
    maybe: { type: ["string", "null"] },
  },
  required: ["to"],
};
const open = (more: Schema): Schema => ({ ...mail, ...more });
const bare: Schema = { type: "object", properties: {} };
const zoned: Schema = { type: "object", properties: { zone: { type: "string" }, city: {} }, required: ["zone"] };

type Row = readonly [what: string, said: string, schema: Schema | undefined, args: Record<string, unknown>, hint: string | undefined];

const MISSING: readonly Row[] = [
  ["a required key is missing", "boom", mail, { count: 1 }, 'it lacks "to", which the tool requires'],
  ["the keys that were sent are named", "boom", mail, { count: 1 }, 'it was sent with "count"'],
  ["nothing was sent", "boom", mail, {}, "it was sent with nothing"],
  ["a key that is null is there", "boom", mail, { to: null }, undefined],
  ["several are missing", "boom", { required: ["a", "b"] }, {}, 'it lacks "a", "b"'],
  ["a required key with a default is not missed", "boom", { properties: { a: { default: 1 } }, required: ["a"] }, {}, undefined],
  ["`required` of something else than names says nothing", "boom", { required: [1] }, {}, undefined],
  ["`required` that is no list says nothing", "boom", { required: true }, {}, undefined],
  ["a name that every object has is not there by itself", "boom", { required: ["constructor"] }, {}, 'it lacks "constructor"'],
  ["the error names the only fault itself", "'zone' is required", zoned, {}, undefined],
  ["the error names another key", "'city' is required", zoned, {}, 'it lacks "zone"'],
  ["the error names it, and there is more", "'zone' is required", zoned, { towm: 1 }, 'it has "towm", which the tool does not declare'],
];
const UNKNOWN: readonly Row[] = [
  ["a key is not declared", "boom", mail, { to: "a", cc: "b" }, 'it has "cc", which the tool does not declare'],
  ["a key differs in case", "boom", mail, { to: "a", TO: "b" }, 'it has "TO"'],
  ["the schema forbids others", "boom", open({ additionalProperties: false }), { to: "a", cc: "b" }, 'it has "cc"'],
  ["the schema declares nothing", "boom", { type: "object" }, { cc: "b" }, undefined],
  ["the schema declares no properties", "boom", bare, { cc: "b" }, undefined],
  ["the schema lets others in", "boom", open({ additionalProperties: true }), { to: "a", cc: "b" }, undefined],
  ["the schema types others", "boom", open({ additionalProperties: { type: "string" } }), { to: "a", cc: "b" }, undefined],
  ["the schema has patterns for keys", "boom", open({ patternProperties: { "^c": {} } }), { to: "a", cc: "b" }, undefined],
  ["the schema is composed", "boom", open({ allOf: [{ properties: { cc: {} } }] }), { to: "a", cc: "b" }, undefined],
  ["the schema has alternatives", "boom", open({ anyOf: [{}] }), { to: "a", cc: "b" }, undefined],
  ["the schema refers to another", "boom", open({ $ref: "#/$defs/more" }), { to: "a", cc: "b" }, undefined],
  ["the schema is not known", "boom", undefined, { cc: "b" }, undefined],
  ["missing and unknown are told together", "boom", mail, { too: "a" }, 'it lacks "to", which the tool requires; it has "too"'],
];
const TYPES: readonly Row[] = [
  ["a string for an integer", "boom", mail, { to: "a", count: "1" }, '"count" is declared as integer and was sent as string'],
  ["a fraction for an integer", "boom", mail, { to: "a", count: 1.5 }, "was sent as number with a fraction"],
  ["a whole number is an integer", "boom", mail, { to: "a", count: 2.0 }, undefined],
  ["a whole number is a number", "boom", mail, { to: "a", weight: 2 }, undefined],
  ["a number for a string", "boom", mail, { to: 1 }, '"to" is declared as string and was sent as integer'],
  ["a string for a boolean", "boom", mail, { to: "a", urgent: "true" }, '"urgent" is declared as boolean'],
  ["an object for an array", "boom", mail, { to: "a", tags: {} }, '"tags" is declared as array and was sent as object'],
  ["an array for an object", "boom", mail, { to: "a", options: [] }, '"options" is declared as object and was sent as array'],
  ["one of several types", "boom", mail, { to: "a", either: 3 }, undefined],
  ["none of several types", "boom", mail, { to: "a", either: true }, '"either" is declared as string or integer and was sent as boolean'],
  ["null is left alone", "boom", mail, { to: "a", count: null }, undefined],
  ["a parameter without a type", "boom", mail, { to: "a", anything: 1 }, undefined],
  ["a parameter elsewhere", "boom", mail, { to: "a", reference: 1 }, undefined],
  ["a type that nobody knows", "boom", mail, { to: "a", odd: 1 }, undefined],
  ["types inside of values are not looked at", "boom", mail, { to: "a", options: { to: 1 } }, undefined],
  [
    "a member called __proto__ is no parameter",
    "boom",
    open({ additionalProperties: true }),
    JSON.parse('{"to":"a","__proto__":1}'),
    undefined,
  ],
];
const PHRASES: readonly Row[] = [
  [
    "the words of the TypeScript SDK",
    "MCP error -32602: Invalid arguments for tool act: [...]",
    mail,
    { to: "a" },
    'declares: {"type":"object"',
  ],
  ["the code alone", "MCP error -32602: no", mail, { to: "a" }, "declares: "],
  ["the code in JSON", '{"code":-32602}', mail, { to: "a" }, "declares: "],
  ["the words of pydantic", "2 validation errors for call[act]", mail, { to: "a" }, "declares: "],
  ["the same without a schema", "1 validation error for call[act]", undefined, { to: "a" }, undefined],
  ["a number that looks like the code", "balance -32602 EUR", mail, { to: "a" }, undefined],
  ["a longer number", "error -326020", mail, { to: "a" }, undefined],
  ["the word invalid alone", "invalid credentials", mail, { to: "a" }, undefined],
  ["a validation that failed elsewhere", "the validation of the certificate failed", mail, { to: "a" }, undefined],
  ["no claim about types comes with it", "error -32602", mail, { to: "a" }, "The parameters that the tool declares"],
];
const NO_REASON: readonly Row[] = [
  ["all that a C# server says", "An error occurred invoking 'act'.", mail, { to: "a" }, "The server gave no reason"],
  ["the same without a schema", "An error occurred invoking 'act'.", undefined, { to: "a" }, "The server gave no reason"],
  ["a reason behind it", "An error occurred invoking 'act': disk full", mail, { to: "a" }, undefined],
  ["evidence goes first", "An error occurred invoking 'act'.", mail, { to: 1 }, '"to" is declared as string'],
];
const NOTHING: readonly Row[] = [
  ["a plain failure", "no such mailbox", mail, { to: "a" }, undefined],
  ["an empty error", "", mail, { to: "a" }, undefined],
  ["a prose with required in it", "authentication is required", mail, { to: "a" }, undefined],
  ["a time-out of the tool", "timed out after 30 s", mail, { to: "a" }, undefined],
];

describe.each([
  ["missing keys", MISSING],
  ["unknown keys", UNKNOWN],
  ["types", TYPES],
  ["phrases", PHRASES],
  ["no reason given", NO_REASON],
  ["nothing to say", NOTHING],
] as const)("%s", (_, rows) => {
  test.each(rows)("%s", (_what, text, schema, args, hint) => {
    const named = (key: string) => text.includes(`'${key}'`);
    const told = describeArgumentProblem({ text, schema, arguments: args }, named);
    if (hint === undefined) expect(told).toBeUndefined();
    else expect(told).toContain(hint);
  });
});

const value = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.integer()),
  fc.object(),
);
const typeOf = (of: unknown): string => {
  if (of === null) return "null";
  if (Array.isArray(of)) return "array";
  return Number.isInteger(of) ? "integer" : typeof of;
};

test("arguments that fit their schema never bring a hint, whatever a tool says that is not about arguments", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), value), fc.lorem(), (args, text) => {
      const properties = Object.fromEntries(Object.entries(args).map(([key, of]) => [key, { type: typeOf(of) }]));
      const schema = { type: "object", properties, required: Object.keys(args) };
      expect(describeArgumentProblem({ text, schema, arguments: args })).toBeUndefined();
    }),
  );
});

test("no value is ever told, only keys and types", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("to", "count", "urgent", "cc"), value), (args) => {
      const marked = Object.fromEntries(Object.entries(args).map(([key]) => [key, "hunter2-secret"]));
      expect(describeArgumentProblem({ text: "error -32602", schema: mail, arguments: marked }) ?? "").not.toContain("hunter2");
    }),
  );
});

test("a hint is bounded, whatever the schema and the arguments are", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 3000 }, (_, n) => [`parameter_${n}`, { type: "string", description: "x".repeat(50) }]),
  );
  const args = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`${"k".repeat(500)}${n}`, 1]));
  const told = describeArgumentProblem({ text: "boom", schema: { type: "object", properties }, arguments: args }) ?? "";
  expect(told.length).toBeLessThan(8000);
  expect(told).toContain("mcp_get_service_details has the whole schema");
  expect(told).toContain("and 2980 more");
});
