/** Says what is wrong with the arguments of a call that failed, on positive evidence only: a false hint sends an agent after a fault that is not there. */
import { isRecord, listKeys, missingKeys, parameterOf, parametersOf, type Schema, schemaText, typesOf } from "./parameters.ts";

type Arguments = Readonly<Record<string, unknown>>;

export interface FailedCall {
  /** What the tool or its server said. */
  readonly text: string;
  /** The tool's own; undefined when it is not known. */
  readonly schema: Schema | undefined;
  /** As the agent sent them. Only keys and types of them are ever named. */
  readonly arguments: Arguments;
}

/** Phrases by which servers say that it is the arguments they refuse. */
const ABOUT_ARGUMENTS = /\binvalid arguments for tool\b|\b(?:error|code)\W{1,4}-32602(?!\d)|\bvalidation errors? for\b/i;
/** All that a server on the C# SDK says of an exception. */
const NO_REASON = /^\s*an error occurred invoking '[^']{1,200}'\.?\s*$/i;
const MAX_FAULTS = 10;
/** Keywords by which a schema may allow keys that it does not list. */
const OPEN = [
  "patternProperties",
  "unevaluatedProperties",
  "allOf",
  "anyOf",
  "oneOf",
  "if",
  "dependentSchemas",
  "dependencies",
  "$ref",
  "$dynamicRef",
];

/** One or two sentences, or undefined when nothing is known to be wrong. `isNamed`: the error names the missing key itself, and somebody else tells about it. */
export function describeArgumentProblem(call: FailedCall, isNamed: (key: string) => boolean = () => false): string | undefined {
  const { text, schema } = call;
  const found = schema && contradictionIn(schema, call.arguments, isNamed);
  if (found !== undefined) return found.hint;
  if (ABOUT_ARGUMENTS.test(text)) return schema && declared(schema);
  if (NO_REASON.test(text))
    return "The server gave no reason. It may be the arguments, it may be something else: nothing in them contradicts what the tool declares.";
  return undefined;
}

/** What the schema and the arguments themselves say, whatever the error is. Without a hint: the error has said it already. */
function contradictionIn(schema: Schema, args: Arguments, isNamed: (key: string) => boolean): { readonly hint?: string } | undefined {
  const missing = missingKeys(schema, args);
  const unknown = unknownKeys(schema, args);
  if (missing.length > 0 || unknown.length > 0) {
    if (unknown.length === 0 && missing.every(isNamed)) return {};
    const faults = [
      ...(missing.length > 0 ? [`it lacks ${listKeys(missing)}, which the tool requires`] : []),
      ...(unknown.length > 0 ? [`it has ${listKeys(unknown)}, which the tool does not declare`] : []),
    ];
    return hintOf([...faults, `it was sent with ${listKeys(Object.keys(args))}`], schema);
  }
  const wrong = Object.keys(args).flatMap((key) => mismatch(key, parameterOf(schema, key), args[key]));
  return wrong.length > 0 ? hintOf(wrong.slice(0, MAX_FAULTS), schema) : undefined;
}

const hintOf = (faults: readonly string[], schema: Schema) => ({
  hint: `About the call's arguments: ${faults.join("; ")}. ${declared(schema)}`,
});
const declared = (schema: Schema): string => `The parameters that the tool declares: ${schemaText(schema)}`;

/** Only where the schema lists its keys and nothing in it lets others in. */
function unknownKeys(schema: Schema, args: Arguments): string[] {
  const declared = new Set(parametersOf(schema));
  const more = schema["additionalProperties"];
  const lists = declared.size > 0 && (more === undefined || more === false) && !OPEN.some((keyword) => Object.hasOwn(schema, keyword));
  return lists ? Object.keys(args).filter((key) => !declared.has(key)) : [];
}

const CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  object: isRecord,
  array: Array.isArray,
  null: (value) => value === null,
};

function mismatch(key: string, parameter: unknown, value: unknown): string[] {
  const types = typesOf(parameter);
  if (value === null || !types?.every((type) => Object.hasOwn(CHECKS, type))) return [];
  if (types.some((type) => CHECKS[type]?.(value))) return [];
  return [`${listKeys([key])} is declared as ${types.join(" or ")} and was sent as ${typeNameOf(value)}`];
}

function typeNameOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number with a fraction";
  return typeof value;
}
