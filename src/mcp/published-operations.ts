/** The published form of a tool that does several things: the parameter that says which names only what the session may use. */
import type { OperationFilter } from "../../actors/policy/operations.ts";
import type { ToolDefinition } from "./downstream/definitions.ts";

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** Undefined when nothing is left. The same operations of the same definition give the same object. */
export function withOperations(
  definition: ToolDefinition,
  filter: OperationFilter,
  made: WeakMap<ToolDefinition, Map<string, ToolDefinition | undefined>>,
): ToolDefinition | undefined {
  const properties = definition.inputSchema["properties"];
  const parameter = isObject(properties) ? properties[filter.param] : undefined;
  if (!isObject(properties) || !isObject(parameter)) return definition;
  const narrowed = narrow(parameter, filter);
  const known = made.get(definition) ?? new Map<string, ToolDefinition | undefined>();
  made.set(definition, known);
  const key = JSON.stringify([filter.param, narrowed ?? null]);
  if (known.has(key)) return known.get(key);
  const inputSchema = { ...definition.inputSchema, properties: { ...properties, [filter.param]: narrowed } };
  const published = narrowed && { ...definition, inputSchema };
  known.set(key, published);
  return published;
}

/** `enum`, or a choice of constants; where the server says nothing, what is known to be allowed. */
function narrow(parameter: Json, { isAllowed, only }: OperationFilter): Json | undefined {
  const isFine = (value: unknown) => typeof value !== "string" || isAllowed(value);
  if (Array.isArray(parameter["enum"])) return filled(parameter, "enum", parameter["enum"].filter(isFine));
  for (const choice of ["anyOf", "oneOf"])
    if (Array.isArray(parameter[choice]))
      return filled(
        parameter,
        choice,
        parameter[choice].filter((one) => !isObject(one) || isFine(one["const"])),
      );
  if ("const" in parameter) return isFine(parameter["const"]) ? parameter : undefined;
  return only ? filled(parameter, "enum", [...only]) : parameter;
}

const filled = (parameter: Json, key: string, values: readonly unknown[]): Json | undefined => {
  const { default: preset, ...rest } = parameter;
  if (values.length === 0) return undefined;
  const isKept = preset === undefined || key !== "enum" || values.includes(preset);
  return { ...rest, [key]: values, ...(preset !== undefined && isKept && { default: preset }) };
};
