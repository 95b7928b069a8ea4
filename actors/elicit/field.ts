/** One field of a server's form: its type, and what an answer has to keep to. What cannot be kept to is of the type `unknown`. */
import type { Field } from "../../events/elicitation.ts";
import { isDecisionWord } from "./decision.ts";

export interface Option {
  readonly value: string;
  readonly title?: string;
}
export interface FormField extends Field {
  readonly title?: string;
  readonly description?: string;
  /** In UTF-16 units. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Told to whoever answers; the server checks it. */
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  /** Of `choice` and `choices`. */
  readonly options?: readonly Option[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
}
export interface Form {
  readonly fields: readonly FormField[];
}

export type Json = Readonly<Record<string, unknown>>;
export const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
/** A member of its own: what every object inherits says nothing. */
export const own = (holder: Json, key: string): unknown => (Object.hasOwn(holder, key) ? holder[key] : undefined);
/** Names of fields are equal without regard to case. */
export const keyOf = (name: string): string => name.normalize("NFC").toLowerCase();

/** Everything in a schema that forbids values; each type keeps to its own and knows no other. */
const CONSTRAINTS = [
  ...["$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "const", "enum", "enumNames"],
  ...["minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "divisibleBy"],
  ...["items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "minContains", "maxContains"],
  ...["minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "patternProperties", "propertyNames"],
  ...["dependentRequired", "dependentSchemas", "dependencies", "disallow", "extends"],
];
const LENGTHS = ["minLength", "maxLength"];
const RANGE = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
const ITEM_COUNTS = ["minItems", "maxItems"];
const SELECT = ["enum", "enumNames", "oneOf", "anyOf"];

/** Whether the schema forbids values by anything but these. */
export const constrainsBy = (schema: Json, known: readonly string[]): boolean =>
  CONSTRAINTS.some((keyword) => Object.hasOwn(schema, keyword) && !known.includes(keyword));

export function readField(name: string, schema: unknown, required: boolean): FormField {
  if (!isRecord(schema)) return { name, type: "unknown", required, decision: false };
  const about = { name, required, ...text(schema, "title"), ...text(schema, "description"), ...text(schema, "format") };
  const read = readType(schema);
  if (read === undefined) return { ...about, type: "unknown", decision: false };
  const isDecision = read.type === "boolean" || (read.type === "choice" && (read.options ?? []).every(isYesOrNo));
  return { ...about, ...read, decision: isDecision };
}

const isYesOrNo = ({ value, title }: Option): boolean => isDecisionWord(value) || (title !== undefined && isDecisionWord(title));

function text(schema: Json, key: "title" | "description" | "format"): Partial<Record<typeof key, string>> {
  const value = own(schema, key);
  return typeof value === "string" ? { [key]: value } : {};
}

type Typed = Omit<FormField, "name" | "required" | "decision" | "title" | "description" | "format">;

function readType(schema: Json): Typed | undefined {
  const type = own(schema, "type");
  const isSelect = SELECT.some((keyword) => Object.hasOwn(schema, keyword));
  if (isSelect) {
    const options = type === undefined || type === "string" ? readOptions(schema) : undefined;
    return options && { type: "choice", options };
  }
  switch (type) {
    case "string":
      return bounded("string", schema, LENGTHS, isCount);
    case "number":
    case "integer":
      return bounded(type, schema, RANGE, Number.isFinite);
    case "boolean":
      return bounded("boolean", schema, [], isCount);
    case "array":
      return readChoices(schema);
    default:
      return undefined;
  }
}

const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;

function bounded(type: Field["type"], schema: Json, keywords: readonly string[], isBound: (value: unknown) => boolean): Typed | undefined {
  const bounds = keywords.filter((keyword) => Object.hasOwn(schema, keyword)).map((keyword) => [keyword, schema[keyword]] as const);
  if (constrainsBy(schema, keywords) || !bounds.every(([, bound]) => isBound(bound))) return undefined;
  return { type, ...(Object.fromEntries(bounds) as Partial<FormField>) };
}

function readChoices(schema: Json): Typed | undefined {
  const items = own(schema, "items");
  if (!isRecord(items) || ![undefined, "string"].includes(own(items, "type") as string | undefined)) return undefined;
  const options = readOptions(items);
  const { items: _, uniqueItems, ...rest } = schema;
  const counts = bounded("choices", rest, ITEM_COUNTS, isCount);
  if (options === undefined || counts === undefined || ![undefined, true, false].includes(uniqueItems as boolean | undefined))
    return undefined;
  return { ...counts, options, ...(uniqueItems === true && { uniqueItems }) };
}

/** In any of the three ways to write them. Undefined: not a list of different texts and nothing but that. */
function readOptions(schema: Json): readonly Option[] | undefined {
  const ways = ["enum", "oneOf", "anyOf"].filter((keyword) => Object.hasOwn(schema, keyword));
  const entries = own(schema, ways[0] ?? "");
  if (ways.length !== 1 || constrainsBy(schema, SELECT) || !Array.isArray(entries) || entries.length === 0) return undefined;
  const options = ways[0] === "enum" ? named(entries, own(schema, "enumNames")) : titled(entries);
  return options !== undefined && new Set(options.map(({ value }) => value)).size === options.length ? options : undefined;
}

const isText = (value: unknown): value is string => typeof value === "string";

function named(values: readonly unknown[], names: unknown = []): readonly Option[] | undefined {
  if (!values.every(isText) || !Array.isArray(names) || !names.every(isText)) return undefined;
  return values.map((value, index) => ({ value, ...(names[index] !== undefined && { title: names[index] }) }));
}

function titled(entries: readonly unknown[]): readonly Option[] | undefined {
  const options = entries.flatMap((entry): Option[] => {
    if (!isRecord(entry) || constrainsBy(entry, ["const"]) || ![undefined, "string"].includes(own(entry, "type") as string)) return [];
    const value = own(entry, "const");
    const title = own(entry, "title");
    if (!isText(value) || (title !== undefined && !isText(title))) return [];
    return [{ value, ...(title !== undefined && { title }) }];
  });
  return options.length === entries.length ? options : undefined;
}
