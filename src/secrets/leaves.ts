/** Walks a JSON value string by string and copies only what changes. */

export interface Visit {
  /** What stands in place of a string. The same string: nothing changed. `name`: what it is the value of, if that is known. */
  text(text: string, name: string | undefined): string;
  /** Sees every key; keys are never changed. */
  key?(key: string): void;
  /** What stands in place of a value nested deeper than MAX_DEPTH. */
  tooDeep(value: object): unknown;
  /** Leave base64 media and the schemas of definitions alone. */
  readonly exempt: boolean;
}

/** Far beyond what a tool's input may have (64), and far within what the stack holds. */
export const MAX_DEPTH = 512;

interface Neighbours {
  readonly type?: unknown;
  readonly mimeType?: unknown;
  readonly uri?: unknown;
  readonly name?: unknown;
  readonly key?: unknown;
  readonly kind?: unknown;
  readonly message?: unknown;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Returns the value with its strings replaced: the very same object where no string in it changed. Linear in the size of the value. */
export function mapStrings(value: unknown, visit: Visit): unknown {
  return mapValue(value, visit, 0, undefined);
}

function mapValue(value: unknown, visit: Visit, depth: number, name: string | undefined): unknown {
  if (typeof value === "string") return visit.text(value, name);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return visit.tooDeep(value);
  return Array.isArray(value)
    ? mapArray(value, visit, depth, name)
    : mapObject(value as Readonly<Record<string, unknown>>, visit, depth, name === SECRET_DATA ? name : undefined);
}

function mapArray(value: readonly unknown[], visit: Visit, depth: number, name: string | undefined): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < value.length; index += 1) {
    const before = value[index];
    const after = mapValue(before, visit, depth + 1, name);
    if (after === before) continue;
    copy ??= [...value];
    copy[index] = after;
  }
  return copy ?? value;
}

function mapObject(
  value: Readonly<Record<string, unknown>>,
  visit: Visit,
  depth: number,
  inherited: string | undefined,
): Readonly<Record<string, unknown>> {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    visit.key?.(key);
    const before = value[key];
    if (visit.exempt && isExempt(value, key, before)) continue;
    const after = mapValue(before, visit, depth + 1, inherited ?? nameOf(value, key));
    if (after === before) continue;
    // A spread keeps a member called __proto__ an ordinary one, also when it is assigned to afterwards.
    copy ??= { ...value };
    copy[key] = after;
  }
  return copy ?? value;
}

/** Everything in the data of a Kubernetes Secret is one. */
const SECRET_DATA = "kubernetes secret";

/** What a member is called: by its key, or by the member beside it in `{ "name": "API_KEY", "value": "…" }`. */
function nameOf(holder: Neighbours, key: string): string {
  if (key === "value") {
    if (typeof holder.name === "string") return holder.name;
    if (typeof holder.key === "string") return holder.key;
  }
  return (key === "data" || key === "stringData") && holder.kind === "Secret" ? SECRET_DATA : key;
}

/**
 * Known by their neighbours, as the protocol defines them, so that a mere name hides nothing: `data` of an image or audio block and
 * `blob` of a resource (well-formed base64 only), the schemas of a tool definition and of an elicitation request.
 */
function isExempt(holder: Neighbours, key: string, value: unknown): boolean {
  switch (key) {
    case "data":
      return (holder.type === "image" || holder.type === "audio") && typeof holder.mimeType === "string" && isBase64(value);
    case "blob":
      return typeof holder.uri === "string" && isBase64(value);
    case "inputSchema":
    case "outputSchema":
      return typeof holder.name === "string" && isObjectSchema(value);
    case "requestedSchema":
      return typeof holder.message === "string" && isObjectSchema(value);
    default:
      return false;
  }
}

function isBase64(value: unknown): boolean {
  return typeof value === "string" && value.length % 4 === 0 && BASE64.test(value);
}

function isObjectSchema(value: unknown): boolean {
  return typeof value === "object" && value !== null && "type" in value && value.type === "object";
}
