/** Reads a client's configuration file into plain data: JSON with comments or JSON5, TOML, YAML. Total and bounded; nothing in it is looked up or run. */
import { parseDocument } from "../config/jsonc.ts";
import { formatProblem } from "../config/problems.ts";

export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };
export type PlainObject = Readonly<Record<string, Plain>>;

export const isPlainObject = (value: unknown): value is PlainObject => typeof value === "object" && value !== null && !Array.isArray(value);

export const isPlainList = (value: unknown): value is readonly Plain[] => Array.isArray(value);

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_DEPTH = 64;
/** Aliases of YAML can stand for more than memory holds. */
const MAX_VALUES = 200_000;

type Parse = (text: string, file: string) => unknown;
const toml: Parse = (text) => Bun.TOML.parse(text);
const yaml: Parse = (text) => Bun.YAML.parse(text);

/** The content of a file, or in a sentence why it cannot be read. `file` tells the format by its ending; without a known one each is tried. */
export function readPlain(file: string, bytes: Uint8Array): { readonly value: Plain } | { readonly error: string } {
  if (bytes.length > MAX_BYTES) return { error: `${file} is larger than ${MAX_BYTES / 1024 / 1024} MiB: is it the right file?` };
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes); // strips a byte order mark
  } catch {
    return { error: `${file} is not UTF-8 text: save it as UTF-8` };
  }
  if (text.trim() === "") return { error: `${file} is empty` };
  let first: string | undefined;
  for (const parse of parsersFor(file)) {
    try {
      return { value: plain(parse(text, file), 0, { left: MAX_VALUES }) };
    } catch (error) {
      first ??= messageOf(error, file);
    }
  }
  return { error: first ?? `${file} cannot be read` };
}

function parsersFor(file: string): readonly Parse[] {
  if (/\.toml$/i.test(file)) return [toml];
  if (/\.ya?ml$/i.test(file)) return [yaml];
  return /\.(?:json[c5]?|code-workspace)$/i.test(file) ? [json] : [json, toml, yaml];
}

/** JSONC names the place of a fault; what it refuses may still be JSON5. */
function json(text: string, file: string): unknown {
  const parsed = parseDocument(file, new TextEncoder().encode(text));
  if ("document" in parsed) return parsed.document.value;
  const [problem] = parsed.problems;
  const isSyntax = parsed.problems.every(({ message }) => message.startsWith("not valid JSONC"));
  try {
    if (isSyntax) return Bun.JSON5.parse(text);
  } catch {
    // The first fault is told with its place.
  }
  throw new Unreadable(problem === undefined ? `${file} cannot be read` : formatProblem(problem));
}

/** Its message is a whole sentence. */
class Unreadable extends Error {}

function messageOf(error: unknown, file: string): string {
  if (error instanceof Unreadable) return error.message;
  if (error instanceof RangeError) return `${file} is nested too deep`;
  return `${file} cannot be read: ${error instanceof Error ? error.message : "unknown"}`;
}

/** A copy of data only: what is neither JSON nor nested within bounds is refused or written as text (dates of TOML). */
function plain(value: unknown, depth: number, budget: { left: number }): Plain {
  if (--budget.left < 0) throw new Unreadable("the file stands for more values than any configuration has");
  if (depth > MAX_DEPTH) throw new RangeError();
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number") return value;
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1, budget));
  const isData = typeof value === "object" && [Object.prototype, null].includes(Object.getPrototypeOf(value));
  if (!isData) return String(value);
  return Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, plain(item, depth + 1, budget)]));
}
