/** `x-mcp-header` of protocol 2026-07-28: which arguments a tool wants mirrored into `Mcp-Param-*` request headers. */
import { isObject } from "./json.ts";

interface ParameterHeader {
  readonly path: readonly string[];
  readonly header: string;
}

export type ParameterHeaders =
  | { readonly ok: true; readonly headers: readonly ParameterHeader[] }
  | { readonly ok: false; readonly reason: string };

const KEY = "x-mcp-header";
/** RFC 9110 `token`. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ["string", "integer", "boolean"];
const MAX_DEPTH = 64;

/**
 * Collects the declarations of an input schema. They are lawful only on string, integer or boolean properties reached through `properties`
 * alone, as unique header tokens; any other makes the whole tool unusable.
 */
export function parameterHeaders(inputSchema: Readonly<Record<string, unknown>>): ParameterHeaders {
  const headers: ParameterHeader[] = [];
  const names = new Set<string>();

  function visitProperties(schema: Readonly<Record<string, unknown>>, path: readonly string[]): string | undefined {
    if (path.length > MAX_DEPTH) return "its schema is nested too deeply";
    for (const [key, value] of Object.entries(schema)) {
      if (key === "properties" && isObject(value)) {
        for (const [property, child] of Object.entries(value)) {
          if (!isObject(child)) continue;
          const fault = declare(child, [...path, property]) ?? visitProperties(child, [...path, property]);
          if (fault !== undefined) return fault;
        }
      } else if (!DATA_KEYWORDS.has(key) && mentions(value, MAX_DEPTH)) {
        return `${KEY} below "${key}" (at ${path.join(".") || "the root"}), where it cannot be mirrored`;
      }
    }
    return undefined;
  }

  function declare(schema: Readonly<Record<string, unknown>>, path: readonly string[]): string | undefined {
    if (!(KEY in schema)) return undefined;
    const header = schema[KEY];
    const at = path.join(".");
    if (typeof header !== "string" || !TOKEN.test(header)) return `${KEY} of "${at}" is not a header name`;
    if (!TYPES.includes(schema["type"])) return `${KEY} of "${at}" is on a property that is not a string, integer or boolean`;
    if (names.has(header.toLowerCase())) return `${KEY} "${header}" is declared twice`;
    names.add(header.toLowerCase());
    headers.push({ path, header });
    return undefined;
  }

  const fault = KEY in inputSchema ? `${KEY} on the schema itself` : visitProperties(inputSchema, []);
  return fault === undefined ? { ok: true, headers } : { ok: false, reason: fault };
}

/** Their values are data, not schemas. */
const DATA_KEYWORDS = new Set([
  KEY,
  "const",
  "default",
  "enum",
  "examples",
  "required",
  "title",
  "description",
  "$schema",
  "$id",
  "$ref",
  "type",
]);

function mentions(value: unknown, depth: number): boolean {
  if (depth === 0 || typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => mentions(item, depth - 1));
  return Object.entries(value).some(([key, child]) => key === KEY || (!DATA_KEYWORDS.has(key) && mentions(child, depth - 1)));
}

/** The `Mcp-Param-*` headers of one call. Absent, null and structured arguments have none. */
export function headersOfCall(headers: readonly ParameterHeader[], args: Readonly<Record<string, unknown>>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const { path, header } of headers) {
    let value: unknown = args;
    for (const key of path) value = isObject(value) ? value[key] : undefined;
    if (typeof value === "string") result[`Mcp-Param-${header}`] = encodeHeaderValue(value);
    else if (typeof value === "boolean" || isPlainNumber(value)) result[`Mcp-Param-${header}`] = String(value);
  }
  return result;
}

/** Integers beyond 2^53 have no one spelling, so they have no header. */
function isPlainNumber(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && (Number.isSafeInteger(value) || !Number.isInteger(value));
}

/** Visible ASCII goes as it is; anything a header could not carry unchanged is wrapped as `=?base64?…?=`. */
export function encodeHeaderValue(value: string): string {
  const plain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return plain ? value : `=?base64?${Buffer.from(value, "utf8").toString("base64")}?=`;
}
