/** Small, allocation-free questions about JSON values that came from outside. */

/** A JSON object as `JSON.parse` gives it. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for an object that is neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for what JSON-RPC allows as the id of a request: a string or an integer that JSON keeps exactly. */
export function isRequestId(value: unknown): value is string | number {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/** Deepest nesting of objects and arrays a value may have. */
export const MAX_DEPTH = 64;
/** Most members and items a value may have, at all levels together. */
export const MAX_ELEMENTS = 10_000;

/** Which bound a value breaks, if any. Level by level, without recursion: the value may be nested as deep as 4 MiB allow. */
export function brokenBound(value: unknown, maxElements = MAX_ELEMENTS): "depth" | "elements" | undefined {
  let level: object[] = typeof value === "object" && value !== null ? [value] : [];
  let elements = 0;
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return "depth";
    const next: object[] = [];
    for (const node of level) {
      const children: readonly unknown[] = Array.isArray(node) ? node : Object.values(node);
      elements += children.length;
      if (elements > maxElements) return "elements";
      for (const child of children) if (typeof child === "object" && child !== null) next.push(child);
    }
    level = next;
  }
  return undefined;
}

/** Sixteen digits in a row, or an exponent of three digits: only then a literal can be beyond what a double keeps. */
const SUSPECT = /\d{16}|[eE][+-]?\d{3}/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const INTEGER = /^-?\d+$/;

/**
 * The first number of a JSON text (outside strings) that parsing would alter silently: an integer beyond 2^53, or one too large for a
 * double. Undefined when there is none. `text` must be valid JSON.
 */
export function findUnsafeInteger(text: string): string | undefined {
  if (!SUSPECT.test(text)) return undefined;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      NUMBER.lastIndex = at;
      const literal = NUMBER.exec(text)?.[0] ?? "0";
      const value = Number(literal);
      if (!Number.isFinite(value) || (INTEGER.test(literal) && !Number.isSafeInteger(value))) return literal;
      at += literal.length - 1;
    }
  }
  return undefined;
}

/** The index of the quote that closes the string opened at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at;
}
