/** What an object may look like when a schema names several forms: one set of properties that fits them all. */
import { annotationsOf, HEADER, isSchema, type Schema } from "./schema-inline.ts";

/** What is known of one property. `open`: in some form it may be anything. */
interface Property {
  readonly schemas: readonly Schema[];
  readonly open: boolean;
}
export interface Form {
  readonly properties: ReadonlyMap<string, Property>;
  readonly required: ReadonlySet<string>;
  /** No other properties may occur. */
  readonly closed: boolean;
}

const ANYTHING: Form = { properties: new Map(), required: new Set(), closed: false };

/** Undefined when no object can be valid. */
export function formOf(schema: unknown): Form | undefined {
  if (schema === false || !acceptsObjects(schema)) return undefined;
  if (!isSchema(schema)) return ANYTHING;
  const all = [ownForm(schema), ...listOf(schema, "allOf").map(formOf)];
  for (const key of ["anyOf", "oneOf"]) if (Array.isArray(schema[key])) all.push(either(formsIn(schema, key)));
  return all.reduce((one, other) => one && other && both(one, other));
}

/** The forms that a schema offers to choose from. */
export const formsIn = (schema: Schema, key: string): readonly Form[] => listOf(schema, key).flatMap((branch) => formOf(branch) ?? []);

const listOf = (schema: Schema, key: string): readonly unknown[] => (Array.isArray(schema[key]) ? schema[key] : []);

function acceptsObjects(schema: unknown): boolean {
  const type = isSchema(schema) ? schema["type"] : undefined;
  return type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
}

function ownForm({ properties, required, additionalProperties, patternProperties }: Schema): Form {
  const named = isSchema(properties) ? Object.entries(properties) : [];
  return {
    properties: new Map(named.map(([name, schema]) => [name, { schemas: isSchema(schema) ? [schema] : [], open: !isSchema(schema) }])),
    required: new Set(Array.isArray(required) ? required.filter((name) => typeof name === "string") : []),
    closed: additionalProperties === false && patternProperties === undefined,
  };
}

function both(one: Form, other: Form): Form {
  const properties = new Map(one.properties);
  for (const [name, property] of other.properties) {
    const known = properties.get(name);
    properties.set(name, known === undefined || known.open ? property : property.open ? known : narrowed(known, property));
  }
  return { properties, required: one.required.union(other.required), closed: one.closed || other.closed };
}

/** Both hold: side by side in a schema of its own, so that no keyword of one meets one of the other. */
function narrowed(one: Property, other: Property): Property {
  const [first, second] = [schemaOf(one), schemaOf(other)];
  const isEnough = Object.hasOwn(first, HEADER) || JSON.stringify(first) === JSON.stringify(second);
  return { schemas: [isEnough ? first : { ...annotationsOf(first), allOf: [first, second] }], open: false };
}

function either(forms: readonly Form[]): Form | undefined {
  if (forms.length === 0) return undefined;
  const names = new Set(forms.flatMap(({ properties }) => [...properties.keys()]));
  const property = (name: string): Property => {
    const parts = forms.flatMap(({ properties, closed }): Property[] => {
      const known = properties.get(name);
      return known ? [known] : closed ? [] : [{ schemas: [], open: true }];
    });
    return { schemas: parts.flatMap(({ schemas }) => schemas), open: parts.some(({ open }) => open) };
  };
  return {
    properties: new Map([...names].map((name) => [name, property(name)])),
    required: forms.map(({ required }) => required).reduce((one, other) => one.intersection(other)),
    closed: forms.every(({ closed }) => closed),
  };
}

const MAX_HINT = 300;

/** One schema for one property. Where it may be anything, what is known of it is said in words. */
export function schemaOf({ schemas, open }: Property): Schema {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  const first = distinct[0] ?? {};
  if (open) {
    const hint = distinct.map((schema) => JSON.stringify(assertionsOf(schema))).filter((text) => text !== "{}");
    const text = hint.join(" or ");
    const { description, ...rest } = annotationsOf(first);
    const said = [description, text !== "" && text.length <= MAX_HINT ? `(in some forms: ${text})` : undefined];
    const words = said.filter((one) => typeof one === "string").join(" ");
    return { ...rest, ...(words !== "" && { description: words }) };
  }
  if (distinct.length <= 1) return first;
  const values = distinct.map(valuesOf);
  if (values.every((list) => list !== undefined)) return { ...annotationsOf(first), enum: [...new Set(values.flat())] };
  return { ...annotationsOf(first), anyOf: distinct };
}

const assertionsOf = (schema: Schema): Schema => {
  const said = annotationsOf(schema);
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !Object.hasOwn(said, key)));
};

/** Texts that a schema lists, when it says nothing else: the marks by which forms are told apart. */
function valuesOf(schema: Schema): readonly string[] | undefined {
  const { type = "string", const: only, enum: several, ...more } = assertionsOf(schema);
  const values: unknown = several ?? (only === undefined ? undefined : [only]);
  const isPlain = type === "string" && Object.keys(more).length === 0 && (several === undefined || only === undefined);
  return isPlain && Array.isArray(values) && values.every((value) => typeof value === "string") ? values : undefined;
}
