/** Answers to a form: what fits it and what does not, without changing a value, and what is sent in the end. */
import type { Form, FormField } from "./field.ts";
import { isRecord, type Json, keyOf } from "./field.ts";
import { quote, quotedList } from "./quote.ts";

export type Validated =
  /** By the names of the form. `ignored`: keys that the form does not have. */
  | { readonly ok: true; readonly content: Json; readonly ignored: readonly string[] }
  /** One sentence each. They hold no value of the answer. */
  | { readonly ok: false; readonly errors: readonly string[] };

export type Completed = {
  /** Defaults that do not fit this form: of no use to anybody, and nobody's fault but the operator's. */
  readonly stale: readonly string[];
} & (
  | { readonly action: "accept"; readonly content: Json; readonly ignored: readonly string[] }
  | { readonly action: "decline"; readonly rule: "invalid" | "empty"; readonly errors: readonly string[] }
);

const MOST_SHOWN = 100;

/** Missing optional fields stay out: the server has its own idea of them. Lengths are in UTF-16 units. */
export function validateAnswer({ fields }: Form, content: unknown): Validated {
  if (!isRecord(content)) return { ok: false, errors: ["the answers must be an object with a member for each field"] };
  const given = byKey(content);
  const known = new Set(fields.map(({ name }) => keyOf(name)));
  const entries: [string, unknown][] = [];
  const errors = fields.flatMap((field): string[] => {
    const values = given.get(keyOf(field.name)) ?? [];
    if (values.length > 1) return [`${quote(field.name)} is given more than once, in different spellings`];
    if (values.length === 0) return field.required ? [`${quote(field.name)} is missing: ${expected(field)}`] : [];
    entries.push([field.name, values[0]]);
    return fits(field, values[0]) ? [] : [`${quote(field.name)} does not fit: ${expected(field)}`];
  });
  if (errors.length > 0) return { ok: false, errors };
  return { ok: true, content: Object.fromEntries(entries), ignored: Object.keys(content).filter((key) => !known.has(keyOf(key))) };
}

function byKey(content: Json): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const [name, value] of Object.entries(content)) {
    const values = found.get(keyOf(name));
    if (values) values.push(value);
    else found.set(keyOf(name), [value]);
  }
  return found;
}

/** Whether a value may stand in a field, as it is. */
export function fits(field: FormField, value: unknown): boolean {
  switch (field.type) {
    case "string":
      return typeof value === "string" && isWithin(value.length, field.minLength, field.maxLength);
    case "number":
    case "integer":
      return (
        typeof value === "number" && (field.type === "integer" ? Number.isInteger(value) : Number.isFinite(value)) && inRange(field, value)
      );
    case "boolean":
      return typeof value === "boolean";
    case "choice":
      return isOption(field, value);
    case "choices":
      return (
        Array.isArray(value) &&
        isWithin(value.length, field.minItems, field.maxItems) &&
        value.every((one) => isOption(field, one)) &&
        (field.uniqueItems !== true || new Set(value).size === value.length)
      );
    case "unknown":
      return false;
  }
}

const isWithin = (length: number, min = 0, max = Number.POSITIVE_INFINITY): boolean => length >= min && length <= max;
const isOption = ({ options = [] }: FormField, value: unknown): boolean => options.some((option) => option.value === value);

function inRange({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: FormField, value: number): boolean {
  if (minimum !== undefined && value < minimum) return false;
  if (maximum !== undefined && value > maximum) return false;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return false;
  return exclusiveMaximum === undefined || value < exclusiveMaximum;
}

/** What a field takes, in words: "a whole number, at least 1". */
export function expected(field: FormField): string {
  const { type, format, options = [] } = field;
  const values = quotedList(
    options.map(({ value }) => value),
    MOST_SHOWN,
  );
  switch (type) {
    case "string":
      return `a text${bounds(field.minLength, field.maxLength, " characters")}${format === undefined ? "" : ` in the format ${quote(format)}`}`;
    case "number":
    case "integer":
      return `${type === "integer" ? "a whole number" : "a number"}${range(field)}`;
    case "boolean":
      return "true or false";
    case "choice":
      return `one of ${values}`;
    case "choices":
      return `a list${bounds(field.minItems, field.maxItems, field.uniqueItems ? " different entries" : " entries")} of ${values}`;
    case "unknown":
      return "nothing that is known here";
  }
}

const bounds = (min: number | undefined, max: number | undefined, unit: string): string => {
  const parts = [...(min ? [`at least ${min}`] : []), ...(max === undefined ? [] : [`at most ${max}`])];
  return parts.length === 0 ? "" : `, ${parts.join(" and ")}${unit}`;
};

function range({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: FormField): string {
  const limits = [
    ["at least", minimum],
    ["more than", exclusiveMinimum],
    ["at most", maximum],
    ["less than", exclusiveMaximum],
  ] as const;
  const parts = limits.flatMap(([words, limit]) => (limit === undefined ? [] : [`${words} ${limit}`]));
  return parts.length === 0 ? "" : `, ${parts.join(" and ")}`;
}

/** Each default that fits its field. One for a yes or no or for a number may be written as a text that spells it. */
export function applyDefaults({ fields }: Form, defaults: Json): { readonly content: Json; readonly stale: readonly string[] } {
  const given = byKey(defaults);
  const stale: string[] = [];
  const entries = fields.flatMap((field): [string, unknown][] => {
    const values = given.get(keyOf(field.name));
    if (values === undefined) return [];
    const value = spelled(field, values.at(-1));
    if (fits(field, value)) return [[field.name, value]];
    stale.push(field.name);
    return [];
  });
  return { content: Object.fromEntries(entries), stale };
}

function spelled({ type }: FormField, value: unknown): unknown {
  if (typeof value !== "string" || !["boolean", "number", "integer"].includes(type)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** `given` is what somebody answers; `withheld` are fields that are not theirs to answer. The operator's defaults have the last word. */
export function completeAnswer(form: Form, given: unknown, defaults: Json, withheld: readonly string[] = []): Completed {
  const { content: fixed, stale } = applyDefaults(form, defaults);
  const kept = new Set([...withheld, ...Object.keys(fixed)].map(keyOf));
  const open = isRecord(given) ? Object.entries(given).filter(([name]) => !kept.has(keyOf(name))) : [];
  const valid = isRecord(given)
    ? validateAnswer(form, Object.fromEntries([...open, ...Object.entries(fixed)]))
    : validateAnswer(form, given);
  if (!valid.ok) return { action: "decline", rule: "invalid", errors: valid.errors, stale };
  if (form.fields.length > 0 && Object.keys(valid.content).length === 0)
    return { action: "decline", rule: "empty", errors: ["not one field is answered"], stale };
  return { action: "accept", content: valid.content, ignored: valid.ignored, stale };
}
