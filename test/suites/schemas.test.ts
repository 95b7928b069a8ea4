/** Schemas of the official suite, published: every object that its tests call valid is accepted. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import { publishedSchema } from "../../src/mcp/published-schema.ts";

const suites = process.env["TOOLCRIB_SUITES"];
interface Group {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}
const DIALECTS = [
  { folder: "draft7", draft: "7", dialect: "http://json-schema.org/draft-07/schema#" },
  { folder: "draft2020-12", draft: "2020-12", dialect: "https://json-schema.org/draft/2020-12/schema" },
] as const;
/** This validator takes what every object inherits for its properties. */
const INHERITED = /Javascript object property names/;
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

describe.skipIf(suites === undefined)("schemas of others (set TOOLCRIB_SUITES to run)", () => {
  test.each(DIALECTS)("$folder", ({ folder, draft, dialect }) => {
    const validator = new CfWorkerJsonSchemaValidator({ draft });
    const path = join(suites ?? "", "schemas", folder);
    let schemas = 0;
    let objects = 0;
    const refused: string[] = [];
    for (const file of readdirSync(path).filter((name) => name.endsWith(".json")))
      for (const { description, schema, tests } of JSON.parse(readFileSync(join(path, file), "utf8")) as readonly Group[]) {
        const published = publishedSchema(isObject(schema) ? { $schema: dialect, ...schema } : schema);
        schemas += 1;
        expect({ file, description, type: published["type"], properties: typeof published["properties"] }).toMatchObject({
          type: "object",
          properties: "object",
        });
        for (const { data, valid, description: what } of tests) {
          if (!valid || !isObject(data) || INHERITED.test(description)) continue;
          objects += 1;
          if (!validator.getValidator(published)(data).valid) refused.push(`${file}: ${description}: ${what}`);
        }
      }
    expect({ refused, isWhole: schemas > 150 && objects > 100 }).toEqual({ refused: [], isWhole: true });
  });
});
