/** Arguments against a tool's own schema: faults in words that name places and kinds, never values. Nothing is fetched, and no pattern can hang us. */
import { format, type Schema, type SchemaDraft, Validator } from "@cfworker/json-schema";
import { patternOf } from "./pattern.ts";

type Json = Readonly<Record<string, unknown>>;

const MAX_FAULTS = 5;
const MAX_NODES = 20_000;
const MAX_DEPTH = 64;
/** Patterns become formats of their own: the validator would hand them to a backtracking engine. */
const PATTERN_FORMAT = "toolcrib-pattern:";
const MAX_PATTERNS = 10_000;
let patterns = 0;

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** The name of a format that checks the pattern in linear time; undefined for one that cannot be checked so. */
function formatOf(pattern: unknown): string | undefined {
  if (typeof pattern !== "string") return undefined;
  const name = `${PATTERN_FORMAT}${pattern}`;
  if (Object.hasOwn(format, name)) return name;
  if (patterns >= MAX_PATTERNS) return undefined;
  const compiled = patternOf(pattern);
  if (typeof compiled === "string") return undefined; // look-around and the like: the server itself will judge
  format[name] = compiled.test;
  patterns++;
  return name;
}

/** Keywords whose value is data, not a schema. */
const DATA = new Set(["const", "enum", "default", "examples", "required", "type"]);

/** Keys with a default are not missed: validators list them too when they describe what they give out. */
function requiredOf({ required, properties }: Json): readonly string[] {
  if (!Array.isArray(required)) return [];
  const declared = isObject(properties) ? properties : {};
  return required.filter((key): key is string => {
    if (typeof key !== "string") return false;
    const property = Object.hasOwn(declared, key) ? declared[key] : undefined;
    return !(isObject(property) && "default" in property);
  });
}

interface Budget {
  left: number;
}

/** What can be judged of a schema; whatever cannot is left open. Throws when it is too large. */
function judgeable(schema: unknown, budget: Budget, depth = 0): unknown {
  if (--budget.left < 0 || depth > MAX_DEPTH) throw new Error("too large");
  if (Array.isArray(schema)) return schema.map((entry) => judgeable(entry, budget, depth + 1));
  if (!isObject(schema)) return schema;
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "format" || key === "pattern" || key === "patternProperties") continue;
    if (key === "$ref" && !(typeof value === "string" && value.startsWith("#"))) continue;
    if ((key === "additionalProperties" || key === "unevaluatedProperties") && schema["patternProperties"] !== undefined) continue;
    if (key === "properties" || key === "$defs" || key === "definitions" || key === "dependentSchemas") {
      out[key] = isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, judgeable(inner, budget, depth + 1)]))
        : value;
    } else if (key === "required") out[key] = requiredOf(schema);
    else out[key] = DATA.has(key) ? value : judgeable(value, budget, depth + 1);
  }
  const checked = formatOf(schema["pattern"]);
  return checked === undefined ? out : { ...out, format: checked };
}

function draftOf({ $schema }: Json): SchemaDraft {
  const named = typeof $schema === "string" ? $schema : "";
  if (/draft-0[67]/.test(named)) return "7";
  if (/draft-04/.test(named)) return "4";
  return /2019-09/.test(named) ? "2019-09" : "2020-12";
}

const validators = new WeakMap<Json, Validator | "open">();

function validatorOf(schema: Json): Validator | "open" {
  const before = validators.get(schema);
  if (before) return before;
  let made: Validator | "open" = "open";
  try {
    made = new Validator(judgeable(schema, { left: MAX_NODES }) as Schema, draftOf(schema), false);
  } catch {
    made = "open"; // too large, or no schema at all
  }
  validators.set(schema, made);
  return made;
}

/** None where the arguments fit, or where the schema cannot be judged. The same schema object is prepared once. */
export function schemaFaults(schema: Json, args: Json): readonly string[] {
  const validator = validatorOf(schema);
  if (validator === "open") return [];
  try {
    const { valid, errors } = validator.validate(args);
    if (valid) return [];
    const leaves = errors.filter(
      ({ keyword }) => !["properties", "$ref", "allOf", "anyOf", "oneOf", "items", "prefixItems"].includes(keyword),
    );
    const told = (leaves.length > 0 ? leaves : errors).map(({ instanceLocation, keyword, error }) => {
      const where = instanceLocation.replace(/^#\/?/, "").replaceAll("/", ".");
      const what = keyword === "format" ? "does not match the pattern of the schema" : error.replace(/^Instance /, "").replace(/\.$/, "");
      return `${where === "" ? "arguments" : where}: ${what}`;
    });
    return [...new Set(told)].slice(0, MAX_FAULTS);
  } catch {
    return []; // a reference that leads nowhere
  }
}
