/** Whatever the original schema accepts, its published form accepts too. */
import { expect, test } from "bun:test";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import fc from "fast-check";
import { publishedSchema } from "../../src/mcp/published-schema.ts";
import { metWherever } from "../met.ts";

type Schema = Record<string, unknown>;
const validator = new CfWorkerJsonSchemaValidator();
const accepts = (schema: Schema, value: unknown): boolean => validator.getValidator(schema)(value).valid;

const name = fc.constantFrom("a", "b", "c");
const plain: readonly unknown[] = [
  true,
  false,
  {},
  { type: "string" },
  { type: "integer" },
  { const: "x" },
  { enum: ["x", "y"] },
  { properties: { a: { $ref: "#" } } },
  { $ref: "https://example.com/x" },
];
/** What stands there, for the validator; nobody fetches it to publish a schema. */
const REMOTE = { minProperties: 1, properties: { a: { type: "string" } } };
const fetched = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"https://example.com/x"', `"allOf":[${JSON.stringify(REMOTE)}]`));
/** `leaves` end a schema; a reference leads to what has fewer of them, so that only a property can go round in a circle. */
const schemas = (leaves: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.letrec<{ schema: unknown }>((tie) => {
    const one = tie("schema");
    const list = fc.array(one, { minLength: 1, maxLength: 2 });
    const members = fc.dictionary(name, one, { maxKeys: 2 });
    const keywords = {
      type: fc.constantFrom<unknown>("object", "object", "string", ["object", "null"]),
      properties: members,
      required: fc.uniqueArray(name, { maxLength: 2 }),
      additionalProperties: one,
      patternProperties: fc.constant({ "^b": { type: "integer" } }),
      unevaluatedProperties: fc.boolean(),
      ...{ anyOf: list, oneOf: list, allOf: list },
      ...Object.fromEntries(["not", "if", "then", "else"].map((key) => [key, one])),
      dependentSchemas: members,
      propertyNames: fc.constant({ enum: ["a", "b"] }),
      minProperties: fc.constant(1),
    };
    const some = fc.array(fc.oneof(...Object.entries(keywords).map(([key, values]) => fc.tuple(fc.constant(key), values))), {
      maxLength: 4,
    });
    return { schema: fc.oneof({ maxDepth: 4 }, fc.constantFrom(...leaves), some.map(Object.fromEntries)) };
  }).schema;
const TO_TWO = [
  { $ref: "#/$defs/two", description: "Beside." },
  { $ref: "#/$defs/two", type: "object" },
];
const root = fc.record({
  schema: schemas([...plain, ...TO_TWO, { $ref: "#/$defs/one" }]),
  one: schemas([...plain, ...TO_TWO]),
  two: schemas(plain),
});
const value = fc.oneof(
  fc.constantFrom<unknown>("x", "y", 1, null),
  fc.dictionary(name, fc.constantFrom<unknown>("x", 1, {}, { a: "x" }), { maxKeys: 2 }),
);

test("every object that the original accepts is accepted by the published form", async () => {
  const met = await metWherever(
    fc.tuple(root, fc.array(fc.dictionary(name, value, { maxKeys: 3 }), { minLength: 5, maxLength: 5 })),
    ([{ schema, one, two }, values]) => {
      const original = { ...(typeof schema === "object" ? schema : {}), $defs: { one, two } };
      const published = publishedSchema(original) as Schema;
      expect(published).toMatchObject({ type: "object" });
      expect(JSON.stringify(published)).not.toContain('"$ref"');
      const accepted = values.filter((each) => accepts(fetched(original), each));
      for (const each of accepted) expect(accepts(published, each)).toBe(true);
      return accepted.length;
    },
    { runs: 500, counted: 100 },
  );
  // One side and the other: two of three schemas accept something, more than half refuse something.
  expect(met.filter((accepted) => accepted > 0).length).toBeGreaterThan(50);
  expect(met.filter((accepted) => accepted < 5).length).toBeGreaterThan(25);
});
