/** Which argument a tool says is missing: a word counts only if it is a declared parameter that the call left out. */
import type { CallOutcome } from "../mcp/downstream/downstream.ts";
import { isRecord, parametersOf, type Schema } from "./parameters.ts";

type Arguments = Readonly<Record<string, unknown>>;

const NAME = "([A-Za-z_$][\\w$.-]{0,63})";
const QUOTED = `(?:"${NAME}"|'${NAME}'|\`${NAME}\`)`;
const EITHER = `["'\`]?${NAME}["'\`]?`;
const THING = "(?:parameter|argument|field|property|key)s?";
/** In this order; the first that names a parameter counts. Bare words count only where prose would not stand: beside the word "parameter" or its like, or at the head of a line. */
const PATTERNS = [
  `\\brequired ${THING}:? ${EITHER}`,
  `${QUOTED} is (?:a )?required\\b`,
  `(?:^|: )${NAME} is (?:a )?required\\b`,
  `\\bmissing (?:the )?(?:required )?(?:${THING}:? ${EITHER}|${QUOTED})`,
  `\\bexpected (?:the )?(?:required )?${THING}:? ${EITHER}`,
  `(?:${QUOTED}|(?<![\\w$.-])${NAME}): must be provided\\b`,
  `^${NAME}:?\\s+field required\\b`,
  `"path":\\s*\\["${NAME}"\\],\\s*"message":\\s*"(?:required"|invalid input: expected \\w+, received undefined)`,
].map((pattern) => new RegExp(pattern, "gim"));

/** What is looked at of an error; a result without `isError` is looked at only if it is a JSON object no longer than `MAX_SOFT_ERROR`. */
const MAX_TEXT = 16_000;
const MAX_SOFT_ERROR = 4096;

/** Every parameter that the text says is missing and that is, in the order of the patterns. Names are those of the schema. */
export function missingFields(text: string, schema: Schema, args: Arguments): string[] {
  const parameters = parametersOf(schema);
  const exact = new Set(parameters);
  const found = new Set<string>();
  for (const pattern of PATTERNS)
    for (const match of text.slice(0, MAX_TEXT).matchAll(pattern)) {
      const word =
        match
          .slice(1)
          .find((group) => group !== undefined)
          ?.replace(/[.-]+$/, "") ?? "";
      const field = exact.has(word) ? word : onlyOne(parameters, word);
      if (field !== undefined && !Object.hasOwn(args, field)) found.add(field);
    }
  return [...found];
}

function onlyOne(parameters: readonly string[], word: string): string | undefined {
  const alike = parameters.filter((name) => name.toLowerCase() === word.toLowerCase());
  return alike.length === 1 ? alike[0] : undefined;
}

export interface Complaint {
  readonly text: string;
  /** The server calls it a success: a small JSON object with an `error`. */
  readonly soft: boolean;
}

const METHOD_NOT_FOUND = -32601;

/** What a tool, or its server, complains about. Undefined: it does not, or not about the call's arguments. */
export function complaintIn(outcome: CallOutcome): Complaint | undefined {
  if (outcome.kind === "rpc_error")
    return outcome.code === METHOD_NOT_FOUND ? undefined : { text: `MCP error ${outcome.code}: ${outcome.message}`, soft: false };
  if (outcome.kind !== "result") return undefined;
  const text = textOf(outcome.result);
  if (outcome.result["isError"] === true) return { text, soft: false };
  const said = softError(text);
  return said === undefined ? undefined : { text: said, soft: true };
}

function textOf({ content }: { readonly content?: unknown }): string {
  if (!Array.isArray(content)) return "";
  return content.flatMap((block: unknown) => (isRecord(block) && typeof block["text"] === "string" ? [block["text"]] : [])).join("\n");
}

function softError(text: string): string | undefined {
  if (text.length > MAX_SOFT_ERROR || !/^\s*\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const said = isRecord(value) ? (value["error"] ?? value["Error"]) : undefined;
    return typeof said === "string" ? said : undefined;
  } catch {
    return undefined;
  }
}
