/** What the edge must know of a session's tools to serve a call: mirrored header parameters and the advertised output schema. */

import type { ToolDefinition } from "../downstream/definitions.ts";
import type { Backend, Session } from "./backend.ts";
import { isObject, type JsonObject } from "./json.ts";
import { HEADER_MISMATCH } from "./rpc.ts";

/** A parameter that a modern client repeats in the header `Mcp-Param-<name>`. */
interface MirroredParameter {
  readonly path: readonly string[];
  readonly header: string;
  readonly numeric: boolean;
}

export interface ToolFacts {
  readonly mirrored: readonly MirroredParameter[];
  readonly outputSchema?: JsonObject;
}

export interface ToolFactsCache {
  of(session: Session, tool: string): ToolFacts | undefined;
}

/** Facts are computed once per definition. */
export function createToolFacts(backend: Pick<Backend, "toolOf">): ToolFactsCache {
  const known = new WeakMap<ToolDefinition, ToolFacts>();
  return {
    of(session, tool) {
      const definition = backend.toolOf(session, tool);
      if (definition === undefined) return undefined;
      const facts = known.get(definition) ?? factsOf(definition);
      known.set(definition, facts);
      return facts;
    },
  };
}

function factsOf(tool: { readonly inputSchema: JsonObject; readonly outputSchema?: JsonObject }): ToolFacts {
  const mirrored: MirroredParameter[] = [];
  collectMirrored(tool.inputSchema, [], mirrored);
  return tool.outputSchema === undefined ? { mirrored } : { mirrored, outputSchema: tool.outputSchema };
}

/** `x-mcp-header` counts only where a chain of `properties` leads; deeper than a call may nest nobody looks. */
function collectMirrored(schema: JsonObject, path: readonly string[], into: MirroredParameter[]): void {
  const properties = schema["properties"];
  if (!isObject(properties) || path.length > 64) return;
  for (const [key, child] of Object.entries(properties)) {
    if (!isObject(child)) continue;
    const header = child["x-mcp-header"];
    if (typeof header === "string" && /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(header)) {
      into.push({ path: [...path, key], header, numeric: child["type"] === "integer" || child["type"] === "number" });
    }
    collectMirrored(child, [...path, key], into);
  }
}

export interface HeaderMismatch {
  readonly code: typeof HEADER_MISMATCH;
  readonly message: string;
  readonly data: { readonly mismatch: { readonly header: string; readonly body: string } };
}

/** Compares the `Mcp-Param-*` headers of a modern call with its arguments; undefined when they agree. */
export function mirroredMismatch(facts: ToolFacts | undefined, args: unknown, headers: Headers): HeaderMismatch | undefined {
  for (const parameter of facts?.mirrored ?? []) {
    const value = valueAt(args, parameter.path);
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") continue;
    const name = `Mcp-Param-${parameter.header}`;
    const raw = headers.get(name);
    if (raw === null) return mismatch(name, `the body carries ${parameter.path.join(".")} but the ${name} header is absent`);
    const decoded = decodeHeaderValue(raw);
    if (decoded === undefined) return mismatch(name, `the ${name} header carries an invalid Base64 sentinel value`);
    const equal = parameter.numeric && typeof value === "number" ? /^-?\d+(\.\d+)?$/.test(decoded) && Number(decoded) === value : false;
    if (!equal && decoded !== String(value)) {
      return mismatch(name, `the ${name} header and the argument ${parameter.path.join(".")} of the body have different values`);
    }
  }
  return undefined;
}

function mismatch(header: string, body: string): HeaderMismatch {
  const message = `Bad Request: the request headers and body disagree: ${body}`;
  return { code: HEADER_MISMATCH, message, data: { mismatch: { header, body } } };
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let node = root;
  for (const key of path) node = isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined;
  return node;
}

/** A header value is itself, or UTF-8 in Base64 between `=?base64?` and `?=`. Undefined when that is malformed. */
function decodeHeaderValue(value: string): string | undefined {
  if (!value.startsWith("=?base64?") || !value.endsWith("?=")) return value;
  const base64 = value.slice(9, -2);
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(base64, "base64"));
  } catch {
    return undefined;
  }
}
