/** Schemas that break clients get a form that works, and it refuses nothing that the original accepts. */
import { describe, expect, test } from "bun:test";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import { publishedSchema } from "../../src/mcp/published-schema.ts";

type Schema = Record<string, unknown>;
const validator = new CfWorkerJsonSchemaValidator();
const accepts = (schema: Schema, value: unknown): boolean => validator.getValidator(schema)(value).valid;

test("a schema that every client takes is the same object", () => {
  const schema = {
    type: "object",
    properties: { a: { anyOf: [{ type: "string" }, { type: "null" }] }, $ref: { type: "string" } },
    required: ["a"],
    additionalProperties: false,
  };
  expect(publishedSchema(schema)).toBe(schema);
});

test.each([
  ["no object", undefined],
  ["a list", []],
  ["a boolean", true],
  ["the other boolean", false],
  ["nothing said", {}],
  ["an object without properties", { type: "object" }],
  ["a text", { type: "string" }],
  ["something elsewhere", { $ref: "https://example.com/schema.json" }],
  ["itself", { $ref: "#" }],
])("%s accepts any object", (_, schema) => {
  expect(publishedSchema(schema)).toMatchObject({ type: "object", properties: {} });
  expect(accepts(publishedSchema(schema) as Schema, { any: 1 })).toBe(true);
});

describe("references", () => {
  test("definitions stand where they were referred to, with the words that stood there", () => {
    const schema = {
      type: "object",
      properties: { at: { $ref: "#/$defs/point", description: "Where." }, to: { $ref: "#/properties/at" } },
      $defs: { point: { type: "object", properties: { "x/y": { type: "number" } }, description: "A point." } },
    };
    const point = { type: "object", properties: { "x/y": { type: "number" } }, description: "Where." };
    expect(publishedSchema(schema)).toEqual({ type: "object", properties: { at: point, to: point } });
  });

  test("a whole schema that stands elsewhere is brought to the root", () => {
    const schema = {
      $ref: "#/definitions/Args",
      definitions: { Args: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } },
    };
    expect(publishedSchema(schema)).toEqual({ type: "object", properties: { a: { type: "string" } }, required: ["a"] });
  });

  test("what stands beside a reference counts, but not in the older dialects", () => {
    const schema = { type: "object", properties: { a: { $ref: "#/$defs/t", maxLength: 3 } }, $defs: { t: { type: "string" } } };
    expect(publishedSchema(schema)["properties"]).toEqual({ a: { maxLength: 3, allOf: [{ type: "string" }] } });
    const old = { ...schema, $schema: "http://json-schema.org/draft-07/schema#" };
    expect(publishedSchema(old)["properties"]).toEqual({ a: { type: "string" } });
  });

  test("a circle ends in its type", () => {
    const tree = { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/tree" } } } };
    const open = { type: "object", properties: { children: { type: "array", items: { type: "object" } } } };
    expect(publishedSchema({ type: "object", properties: { root: { $ref: "#/$defs/tree" } }, $defs: { tree } })).toEqual({
      type: "object",
      properties: { root: open },
    });
  });

  test("data that looks like a reference is data", () => {
    const schema = { type: "object", properties: { a: { default: { $ref: "#/nowhere" } }, b: { $ref: "#/properties/a" } } };
    expect(publishedSchema(schema)["properties"]).toEqual({ a: { default: { $ref: "#/nowhere" } }, b: { default: { $ref: "#/nowhere" } } });
  });

  test("references that multiply stay small", () => {
    const level = (n: number) => ({
      type: "object",
      properties: Object.fromEntries([..."abcdefgh"].map((name) => [name, { $ref: `#/$defs/l${n + 1}` }])),
    });
    const $defs = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`l${n}`, level(n)]));
    const published = publishedSchema({ type: "object", properties: { a: { $ref: "#/$defs/l0" } }, $defs });
    expect(JSON.stringify(published).length).toBeLessThan(500_000);
  });
});

describe("forms", () => {
  test("a choice of what is required stays a list of properties, and the choice is said in words", () => {
    const schema = {
      type: "object",
      properties: { id: { type: "string" }, name: { type: "string" }, limit: { type: "integer" } },
      required: ["limit"],
      anyOf: [{ required: ["id"] }, { required: ["name"] }],
    };
    const { anyOf: _, ...rest } = schema;
    expect(publishedSchema(schema)).toEqual({ ...rest, description: "Give one of these: id; or name." });
  });

  test("closed forms make one closed set of properties", () => {
    const form = (kind: string, name: string) => ({
      type: "object",
      properties: { kind: { const: kind }, [name]: { type: "number" } },
      required: ["kind", name],
      additionalProperties: false,
    });
    expect(publishedSchema({ oneOf: [form("circle", "radius"), form("square", "side")] })).toEqual({
      type: "object",
      properties: { kind: { enum: ["circle", "square"] }, radius: { type: "number" }, side: { type: "number" } },
      required: ["kind"],
      additionalProperties: false,
      description: "Give one of these: kind, radius; or kind, side.",
    });
  });

  test("what only one open form knows may be anything, and is said in words", () => {
    const schema = {
      anyOf: [{ properties: { a: { type: "string", description: "A name." } } }, { properties: { b: { type: "number" } } }],
    };
    expect(publishedSchema(schema)["properties"]).toEqual({
      a: { description: 'A name. (in some forms: {"type":"string"})' },
      b: { description: '(in some forms: {"type":"number"})' },
    });
  });

  test("parts that all hold are put together", () => {
    const schema = {
      allOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { properties: { a: { minLength: 2 }, b: true } }],
    };
    expect(publishedSchema(schema)).toEqual({
      type: "object",
      properties: { a: { allOf: [{ type: "string" }, { minLength: 2 }] }, b: {} },
      required: ["a"],
    });
  });

  test("a constant, an enumeration and conditions at the root are left out", () => {
    const conditions = Object.fromEntries(["not", "if", "then"].map((key) => [key, {}]));
    const schema = { type: "object", properties: { a: {} }, const: { a: 1 }, enum: [{ a: 1 }], ...conditions };
    expect(publishedSchema(schema)).toEqual({ type: "object", properties: { a: {} } });
  });
});

test("a property may bear any name", () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"$ref":"#/$defs/t"},"constructor":true},"$defs":{"t":{"type":"string"}}}',
  );
  expect(JSON.stringify(publishedSchema(schema))).toBe('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}}}');
});
