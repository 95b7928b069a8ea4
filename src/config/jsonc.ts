/** Reads one JSONC file into plain values and remembers where each key stood. Bounded and total: any bytes give a document or problems. */
import { createHash } from "node:crypto";
import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { type KeyPath, type Place, type Problem, showPath } from "./problems.ts";

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_DEPTH = 32;
const MAX_PROBLEMS = 20;

export interface Document {
  readonly file: string;
  /** SHA-256 of the bytes, hex. */
  readonly digest: string;
  readonly value: unknown;
  /** Where a key stands; for a path that does not exist, where its nearest existing parent does. Property names match without case if they must. */
  place(path: KeyPath): Place;
  /** Every key of the document with its place, parents before children. */
  keys(): readonly { readonly path: KeyPath; readonly place: Place }[];
}

/** Parse the bytes of a file. Comments and trailing commas are fine; a key that stands twice, an empty file and deep nesting are not. */
export function parseDocument(file: string, bytes: Uint8Array): { document: Document } | { problems: Problem[] } {
  const whole = (message: string, hint: string) => ({ problems: [{ file, line: 0, column: 0, path: "", message, hint }] });
  if (bytes.length > MAX_BYTES) return whole(`the file is larger than ${MAX_BYTES / 1024 / 1024} MiB`, "is it the right file?");
  const text = decodeUtf8(bytes);
  if (text === undefined) return whole("the file is not UTF-8 text", "save it as UTF-8");

  const placeOf = placesIn(file, text);
  const at = (offset: number, message: string, path = ""): Problem => ({ ...placeOf(offset), path, message });
  const tooDeep = deeperThan(text, MAX_DEPTH);
  if (tooDeep !== undefined) return { problems: [at(tooDeep, `nested deeper than ${MAX_DEPTH} levels`)] };

  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (root === undefined && errors.every((error) => printParseErrorCode(error.error) === "ValueExpected"))
    return whole("the file is empty", "write {} for the defaults");
  if (root === undefined || errors.length > 0)
    return { problems: errors.slice(0, MAX_PROBLEMS).map((error) => at(error.offset, `not valid JSONC: ${sentence(error)}`)) };

  const problems: Problem[] = [];
  const value = plain(root, [], (node, path, message) => problems.push(at(node.offset, message, showPath(path))));
  if (problems.length > 0) return { problems: problems.slice(0, MAX_PROBLEMS) };
  const place = (path: KeyPath) => placeOf(locate(root, path).offset);
  const keys = () => keysOf(root, [], (node) => placeOf(node.offset));
  return { document: { file, digest: sha256(bytes), value, place, keys } };
}

function sentence(error: ParseError): string {
  const code = printParseErrorCode(error.error);
  return SENTENCES[code] ?? code;
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes); // strips a byte order mark
  } catch {
    return undefined;
  }
}

/** Where the text first nests deeper than `limit`. The parser recurses, so nesting is bounded by the scanner, which does not. */
function deeperThan(text: string, limit: number): number | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const start = text[scanner.getTokenOffset()];
    if (start === "{" || start === "[") depth++;
    else if (start === "}" || start === "]") depth--;
    if (depth > limit) return scanner.getTokenOffset();
  }
  return undefined;
}

function plain(node: Node, path: KeyPath, report: (node: Node, path: KeyPath, message: string) => void): unknown {
  if (node.type === "array") return (node.children ?? []).map((child, i) => plain(child, [...path, i], report));
  if (node.type !== "object") return node.value;
  const object: Record<string, unknown> = {};
  for (const { key, property, value } of properties(node)) {
    const at = [...path, key];
    if (key === "__proto__") report(property, at, "this name cannot be used");
    else if (Object.hasOwn(object, key)) report(property, at, "this key stands twice in the same object; remove one");
    else object[key] = plain(value, at, report);
  }
  return object;
}

function properties(node: Node): { key: string; property: Node; value: Node }[] {
  return (node.children ?? []).flatMap((property) => {
    const [name, value] = property.children ?? [];
    return name === undefined || value === undefined ? [] : [{ key: String(name.value), property, value }];
  });
}

function locate(root: Node, path: KeyPath): Node {
  let value = root;
  let found = root;
  for (const key of path) {
    if (value.type === "array") {
      const child = typeof key === "number" ? value.children?.[key] : undefined;
      if (child === undefined) return found;
      value = found = child;
    } else {
      const all = properties(value);
      const wanted = String(key);
      const match = all.find((one) => one.key === wanted) ?? all.find((one) => one.key.toLowerCase() === wanted.toLowerCase());
      if (match === undefined) return found;
      value = match.value;
      found = match.property;
    }
  }
  return found;
}

function keysOf(node: Node, path: KeyPath, place: (node: Node) => Place): { path: KeyPath; place: Place }[] {
  if (node.type === "array")
    return (node.children ?? []).flatMap((child, i) => [
      { path: [...path, i], place: place(child) },
      ...keysOf(child, [...path, i], place),
    ]);
  return properties(node).flatMap(({ key, property, value }) => [
    { path: [...path, key], place: place(property) },
    ...keysOf(value, [...path, key], place),
  ]);
}

/** Turns an offset into a line and a column; the line starts are found once. */
function placesIn(file: string, text: string): (offset: number) => Place {
  const starts = [0];
  for (const end of text.matchAll(/\r\n|\r|\n/g)) starts.push(end.index + end[0].length);
  return (offset) => {
    let low = 0;
    for (let high = starts.length - 1; low < high; ) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { file, line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

const SENTENCES: Readonly<Record<string, string>> = {
  CommaExpected: "a comma is missing here",
  ColonExpected: "a colon is missing here",
  PropertyNameExpected: "a property name in double quotes is expected here",
  ValueExpected: "a value is expected here",
  CloseBraceExpected: "a closing } is missing",
  CloseBracketExpected: "a closing ] is missing",
  EndOfFileExpected: "there is more text after the end of the document",
  UnexpectedEndOfString: "this text has no closing quote",
  UnexpectedEndOfComment: "this comment is not closed",
  InvalidSymbol: "this is no JSON value; text stands in double quotes",
};
