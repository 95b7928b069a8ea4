/** Schemas without references: what `$ref` points to stands where the reference stood. Whatever was valid stays valid. */

export type Schema = Readonly<Record<string, unknown>>;
export const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null && !Array.isArray(value);

/** Deeper ones stay open. */
const MAX_DEPTH = 64;
/** So many schemas may come from references; then they stay open. */
const MAX_INLINED = 500;

/** Maps of schemas, lists of schemas, and single ones; everything else is copied. */
const MAPS = new Set(["properties", "patternProperties", "dependentSchemas", "dependencies"]);
const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const SINGLES = new Set(
  "items additionalItems additionalProperties unevaluatedItems unevaluatedProperties contains propertyNames not if then else".split(" "),
);
/** Nothing refers to them any more, and twice in a schema they are a fault. */
const LABELS = new Set(["$defs", "definitions", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"]);
/** They may refuse more when a part of theirs, or beside them, refuses less. */
const CONTRARY = new Set(["not", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties", "maxContains"]);
const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"];
const ANNOTATION = /^(title|description|default|examples|deprecated|readOnly|writeOnly|\$comment|\$schema|x-.*)$/;
/** Lawful only where a server wrote it: not in what comes from elsewhere. */
export const HEADER = "x-mcp-header";
/** There, what stands beside a reference does not count. */
const OLD_DIALECT = /draft-0?[3-7]/;

/** What says something about a value without refusing any. */
export const annotationsOf = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => ANNOTATION.test(key) && key !== HEADER));

/** Whether there is anything to do: a reference, or a property that is only true or false. It may say yes too often. */
export function needsInlining(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (depth > MAX_DEPTH) return true;
  if (Array.isArray(value)) return value.some((one) => needsInlining(one, depth + 1));
  if (REFERENCES.some((key) => typeof (value as Schema)[key] === "string")) return true;
  const { properties } = value as Schema;
  if (isSchema(properties) && Object.values(properties).some((one) => typeof one === "boolean")) return true;
  return Object.values(value).some((one) => needsInlining(one, depth + 1));
}

/** The same schema with nothing but itself in it. References to elsewhere, circles and what is too large accept anything. */
export function inlineReferences(schema: Schema): Schema {
  const exact = createInliner(schema, false);
  const inlined = exact.of(schema);
  return exact.isLoose() ? createInliner(schema, true).of(schema) : inlined;
}

interface Place {
  /** What `#` means here. */
  readonly base: Schema;
  /** The targets we are inside of. */
  readonly within: readonly unknown[];
  readonly depth: number;
}

/** `isLoose` leaves out what is contrary: needed where something had to stay open. */
function createInliner(root: Schema, loose: boolean) {
  const isOld = OLD_DIALECT.test(String(root["$schema"]));
  let opened = false;
  let inlined = 0;
  const open = (): Schema => {
    opened = true;
    return {};
  };

  function walk(value: unknown, place: Place): unknown {
    if (typeof value === "boolean") return value;
    if (!isSchema(value) || place.depth > MAX_DEPTH) return open();
    if (place.within.length > 0) inlined += 1;
    const inside = { ...place, base: value !== place.base && isResource(value) ? value : place.base, depth: place.depth + 1 };
    return typeof value["$ref"] === "string" ? withTarget(value["$ref"], value, inside) : keywords(value, inside);
  }

  function withTarget(ref: string, { $ref: _, ...beside }: Schema, place: Place): unknown {
    const { depth, within } = place;
    const target = resolve(ref, place.base);
    if (target === undefined) return { ...open(), ...annotationsOf(beside) };
    const { type } = isSchema(target.schema) ? target.schema : {};
    if (within.includes(target.schema) || inlined > MAX_INLINED)
      return { ...open(), ...(type !== undefined && { type }), ...annotationsOf(beside) };
    const found = walk(target.schema, { base: target.base, within: [...within, target.schema], depth });
    const isAlone = isOld || Object.keys(beside).every((key) => ANNOTATION.test(key) || LABELS.has(key));
    if (isAlone) return isSchema(found) ? { ...found, ...annotationsOf(beside) } : found;
    const own = keywords(beside, place);
    return { ...own, allOf: [...(Array.isArray(own["allOf"]) ? own["allOf"] : []), found] };
  }

  function keywords(schema: Schema, place: Place): Schema {
    const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      if (LABELS.has(key) || (loose && CONTRARY.has(key)) || (key === HEADER && place.within.length > 0)) return [];
      if (key === "$dynamicRef" || key === "$recursiveRef") {
        open();
        return [];
      }
      return [[key, keyword(key, value, place)]];
    });
    return loose && Array.isArray(schema["oneOf"]) ? anyInstead(Object.fromEntries(entries)) : Object.fromEntries(entries);
  }

  function keyword(key: string, value: unknown, place: Place): unknown {
    if (MAPS.has(key) && isSchema(value)) return Object.fromEntries(Object.entries(value).flatMap((entry) => member(key, entry, place)));
    if ((LISTS.has(key) || key === "items") && Array.isArray(value)) return value.map((one) => walk(one, place));
    return SINGLES.has(key) ? walk(value, place) : value;
  }

  function member(key: string, [name, value]: [string, unknown], place: Place): [string, unknown][] {
    if (key === "dependencies" && Array.isArray(value)) return [[name, value]];
    const schema = walk(value, place);
    if (key !== "properties" || typeof schema !== "boolean") return [[name, schema]];
    if (schema) return [[name, {}]];
    open();
    return []; // many clients know no schema that is only false
  }

  return { of: (schema: Schema) => walk(schema, { base: schema, within: [], depth: 0 }) as Schema, isLoose: () => opened };
}

/** One of several instead of exactly one. */
function anyInstead({ oneOf, ...rest }: Schema): Schema {
  if (rest["anyOf"] === undefined) return { ...rest, anyOf: oneOf };
  return { ...rest, allOf: [...(Array.isArray(rest["allOf"]) ? rest["allOf"] : []), { anyOf: oneOf }] };
}

/** A schema with an id of its own is a document of its own. */
const isResource = ({ $id }: Schema): boolean => typeof $id === "string" && !$id.startsWith("#");

function resolve(ref: string, base: Schema): { readonly schema: unknown; readonly base: Schema } | undefined {
  const { $id } = base;
  const local = typeof $id === "string" && ref.startsWith(`${$id}#`) ? ref.slice($id.length) : ref;
  if (local !== "#" && !local.startsWith("#/")) return undefined;
  let found: { schema: unknown; base: Schema } = { schema: base, base };
  for (const step of local.split("/").slice(1)) {
    const key = decoded(step)?.replaceAll("~1", "/").replaceAll("~0", "~");
    const { schema } = found;
    if (key === undefined || typeof schema !== "object" || schema === null || !Object.hasOwn(schema, key)) return undefined;
    const next = (schema as Schema)[key];
    found = { schema: next, base: isSchema(next) && isResource(next) ? next : found.base };
  }
  return found;
}

function decoded(step: string): string | undefined {
  try {
    return decodeURIComponent(step);
  } catch {
    return undefined;
  }
}
