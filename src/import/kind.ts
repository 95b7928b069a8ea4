/** Whether an entry is a program to start or an address to connect to: its type decides, then what it has. */
import type { Kind } from "./draft.ts";
import { isPlainObject, type Plain, type PlainObject } from "./read.ts";

export type OurType = "stdio" | "http" | "sse" | "streamable-http";

export interface Typed {
  readonly kind?: Kind;
  /** What the entry says, in our word. */
  readonly type?: OurType;
  /** Why it can be neither. */
  readonly unusable?: string;
}

const WORDS: Readonly<Record<string, OurType>> = {
  stdio: "stdio",
  local: "stdio",
  command: "stdio",
  http: "http",
  remote: "http",
  streamable: "streamable-http",
  streamablehttp: "streamable-http",
  sse: "sse",
};
const PROGRAM = ["command", "cmd"];
const ADDRESS = ["url", "serverurl", "httpurl"];

/** Without case, `_` and `-`. */
export const normalised = (field: string): string => field.toLowerCase().replace(/[\s_-]+/g, "");

/** Whether a field says how the server is reached. */
export const isAddress = (field: string): boolean => [...PROGRAM, ...ADDRESS].includes(normalised(field));

/** The field that names the type: `type`, else `transport`. */
export const typeField = (entry: PlainObject): string | undefined =>
  ["type", "transport", "transportType"].find((field) => typeof wordOf(entry[field]) === "string");

const wordOf = (value: Plain | undefined): Plain | undefined => (isPlainObject(value) ? value["type"] : value);

export function typeOf(entry: PlainObject): Typed {
  const field = typeField(entry);
  const has = (names: readonly string[]) =>
    Object.entries(entry).some(([name, value]) => names.includes(normalised(name)) && value !== null);
  if (field !== undefined) {
    const word = String(wordOf(entry[field]));
    const type = Object.hasOwn(WORDS, normalised(word)) ? WORDS[normalised(word)] : undefined;
    if (type === undefined) return { unusable: `servers of type ${word} cannot be reached: only stdio, Streamable HTTP and SSE can` };
    const kind = type === "stdio" ? "stdio" : "http";
    const missing = kind === "stdio" ? (has(PROGRAM) ? undefined : "command") : has(ADDRESS) ? undefined : "url";
    return missing === undefined ? { kind, type } : { unusable: `it is of type ${word}, and has no ${missing}` };
  }
  if (has(PROGRAM)) return { kind: "stdio" };
  return has(ADDRESS) ? { kind: "http" } : { unusable: "it has neither a program (command) nor an address (url)" };
}
