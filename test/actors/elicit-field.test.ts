/** The fields of a server's form. */
import { describe, expect, test } from "bun:test";
import { asking, fieldOf, formOf, observe } from "./elicit-fixture.ts";

describe("a field is read as", () => {
  test.each([
    [{ type: "string" }, "string"],
    [{ type: "string", minLength: 1, maxLength: 9, format: "email", pattern: "@" }, "string"],
    [{ type: "number", minimum: 0.5, exclusiveMaximum: 2 }, "number"],
    [{ type: "integer", minimum: 1, maximum: 3, default: 2 }, "integer"],
    [{ type: "boolean", default: false }, "boolean"],
    [{ type: "string", enum: ["a", "b"] }, "choice"],
    [{ enum: ["a", "b"] }, "choice"],
    [{ type: "string", enum: ["a", "b"], enumNames: ["A", "B"] }, "choice"],
    [{ type: "string", oneOf: [{ const: "a", title: "A" }, { const: "b" }] }, "choice"],
    [{ type: "array", items: { type: "string", enum: ["a"] }, minItems: 1, maxItems: 2 }, "choices"],
    [{ type: "array", items: { anyOf: [{ const: "a", title: "A" }] }, uniqueItems: true }, "choices"],
  ])("%j: %s", (schema, type) => {
    expect(fieldOf(schema).type).toBe(type as never);
    expect(formOf({ it: schema }).unreadable).toEqual([]);
  });

  test("with the titles of its options", () => {
    const options = [
      { value: "a", title: "A" },
      { value: "b", title: "B" },
    ];
    expect(fieldOf({ type: "string", enum: ["a", "b"], enumNames: ["A", "B"] }).options).toEqual(options);
    expect(fieldOf({ oneOf: options.map(({ value, title }) => ({ const: value, title })) }).options).toEqual(options);
    expect(fieldOf({ type: "array", items: { enum: ["a", "b"], enumNames: ["A", "B"] } }).options).toEqual(options);
  });
});

test.each([
  [null],
  ["string"],
  [[]],
  [{}],
  [{ type: "object", properties: {} }],
  [{ type: "null" }],
  [{ type: ["string", "null"] }],
  [{ type: "string", minLength: -1 }],
  [{ type: "string", maxLength: "9" }],
  [{ type: "string", const: "a" }],
  [{ type: "string", not: { minLength: 1 } }],
  [{ type: "string", enum: [] }],
  [{ type: "string", enum: ["a", 1] }],
  [{ type: "string", enum: ["a", "a"] }],
  [{ type: "string", enum: ["a"], enumNames: [1] }],
  [{ type: "string", enum: ["a"], maxLength: 3 }],
  [{ type: "string", enum: ["a"], oneOf: [{ const: "a" }] }],
  [{ type: "string", oneOf: [{ const: "a" }, { const: "a" }] }],
  [{ type: "string", oneOf: [{ const: "a", minLength: 2 }] }],
  [{ type: "string", oneOf: [{ const: "a", title: 1 }] }],
  [{ type: "integer", enum: [1, 2] }],
  [{ type: "number", minimum: "0" }],
  [{ type: "number", multipleOf: 2 }],
  [{ type: "boolean", const: true }],
  [{ type: "array" }],
  [{ type: "array", items: { type: "string" } }],
  [{ type: "array", items: { type: "number", enum: [1] } }],
  [{ type: "array", items: { enum: ["a"] }, contains: {} }],
  [{ type: "array", items: { enum: ["a"] }, minItems: 0.5 }],
  [{ type: "array", items: [{ enum: ["a"] }] }],
  [{ $ref: "#/$defs/it" }],
])("%j says nothing that can be kept to", (schema) => {
  expect(fieldOf(schema)).toMatchObject({ type: "unknown", decision: false });
  expect(observe(asking({ it: schema })).unreadable).toEqual(["it"]);
});

describe("a decision is", () => {
  test.each([
    [{ type: "boolean" }],
    [{ enum: ["yes", "no"] }],
    [{ enum: [" Yes ", "NO"] }],
    [{ enum: ["proceed", "abort", "skip"] }],
    [{ enum: ["ok"] }],
    [
      {
        oneOf: [
          { const: "1", title: "Yes" },
          { const: "0", title: "No!" },
        ],
      },
    ],
    [{ enum: ["1", "2"], enumNames: ["✅ Approve", "❌ Reject"] }],
    [{ enum: ["у\u0435s", "n\u043e"] }],
    [{ enum: ["sí", "no"] }],
  ])("%j", (schema) => expect(fieldOf(schema).decision).toBe(true));
  test.each([
    [{ type: "string" }],
    [{ type: "integer" }],
    [{ enum: ["yes", "no", "maybe"] }],
    [{ enum: ["1", "0"] }],
    [{ enum: ["y".repeat(100)] }],
    [{ type: "array", items: { enum: ["yes", "no"] } }],
  ])("not %j", (schema) => expect(fieldOf(schema).decision).toBe(false));
});
