/** What a tool's schema says at its top level, and only what it says beyond doubt. */

export type Schema = Readonly<Record<string, unknown>>;
type Arguments = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A schema longer than this many characters is shown as a list of its parameters. */
const MAX_SCHEMA = 4000;
const MAX_KEY = 60;
const MAX_KEYS = 20;

/** The declared parameter, or undefined when the schema does not declare it. */
export function parameterOf(schema: Schema, key: string): unknown {
  const properties = schema["properties"];
  return isRecord(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** The names of the declared parameters, in the schema's order. */
export const parametersOf = ({ properties }: { readonly properties?: unknown }): string[] =>
  isRecord(properties) ? Object.keys(properties) : [];

/** Keys that must be there and are not; null counts as there, and so does what has a default. */
export function missingKeys(schema: Schema, args: Arguments): string[] {
  const required = schema["required"];
  if (!Array.isArray(required) || !required.every((key) => typeof key === "string")) return [];
  return [...new Set<string>(required)].filter((key) => !Object.hasOwn(args, key) && !hasDefault(parameterOf(schema, key)));
}

const hasDefault = (parameter: unknown): boolean => isRecord(parameter) && Object.hasOwn(parameter, "default");

/** Names as a sentence lists them, bounded. A long one is not shown, and never cut: half a secret would not be found in it. */
export function listKeys(keys: readonly string[]): string {
  if (keys.length === 0) return "nothing";
  const shown = keys.slice(0, MAX_KEYS).map((key) => (key.length > MAX_KEY ? `a name of ${key.length} characters` : JSON.stringify(key)));
  return `${shown.join(", ")}${keys.length > MAX_KEYS ? ` and ${keys.length - MAX_KEYS} more` : ""}`;
}

/** `type` as the schema gives it: a name, several, or undefined. */
export function typesOf(parameter: unknown): readonly string[] | undefined {
  const type = isRecord(parameter) ? parameter["type"] : undefined;
  if (typeof type === "string") return [type];
  return Array.isArray(type) && type.length > 0 && type.every((name) => typeof name === "string") ? type : undefined;
}

/** The schema as JSON; a long one as its parameters with types, bounded. */
export function schemaText(schema: Schema): string {
  const whole = JSON.stringify(schema);
  if (whole.length <= MAX_SCHEMA) return whole;
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const lines = parametersOf(schema).map((key) => {
    const type = typesOf(parameterOf(schema, key))?.join(" or ") ?? "any";
    return `${listKeys([key])}: ${type.slice(0, MAX_KEY)}${required.has(key) ? " (required)" : ""}`;
  });
  const text = lines.join(", ");
  const list = text.length <= MAX_SCHEMA ? text : `${text.slice(0, MAX_SCHEMA)}…`;
  return `${list} (shortened; mcp_get_service_details has the whole schema)`;
}
