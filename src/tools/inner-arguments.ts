/** The arguments inside a call of `mcp_invoke_tool`, in all the ways in which models wrap them. */
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { isRecord, parametersOf, type Schema } from "../calls/parameters.ts";
import { findUnsafeInteger } from "../observe/bounds.ts";
import { type Refusal, refuse } from "./define.ts";

type Arguments = Readonly<Record<string, unknown>>;

const RESERVED = new Set(["server_name", "tool_name", "arguments", "params", "args"]);
const EXAMPLE = '{"server_name":"…","tool_name":"…","arguments":{"name":"value"}}';
/** A longer text is not repeated. It is never cut: half a secret would not be found in it. */
const MAX_ECHO = 500;

/** Under one of three keys, as a JSON string, or not at all. */
export function innerArguments(input: Arguments): { readonly found: Arguments } | Refusal {
  const given = input["arguments"] ?? input["params"] ?? input["args"];
  if (given === undefined || given === null)
    return { found: Object.fromEntries(Object.entries(input).filter(([key]) => !RESERVED.has(key.toLowerCase()))) };
  if (isRecord(given)) return { found: given };
  if (typeof given !== "string") return unusable(Array.isArray(given) ? "it is an array" : `it is a ${typeof given}`);
  try {
    const parsed: unknown = JSON.parse(given);
    // The door looked for such numbers outside of strings only.
    const altered = findUnsafeInteger(given);
    if (altered !== undefined)
      return unusable(`its text holds the number ${altered.slice(0, 40)}, which parsing alters; send it as a string`);
    return isRecord(parsed) ? { found: parsed } : unusable("its text is JSON, but not an object");
  } catch {
    return unusable(`its text is not JSON${faultIn(given)}${given.length <= MAX_ECHO ? `: ${given}` : ""}`);
  }
}

const unusable = (why: string): Refusal =>
  refuse("invalid_arguments", `"arguments" must be an object, or a JSON string that holds one, such as ${EXAMPLE}; ${why}`);

/** What is wrong and where, without repeating any of the text. */
function faultIn(text: string): string {
  const faults: ParseError[] = [];
  parse(text, faults, { disallowComments: true });
  const [first] = faults;
  return first ? ` (${printParseErrorCode(first.error)} at character ${first.offset + 1})` : "";
}

/** Some models wrap twice: the arguments are a call of the same tool once more, and the tool declares nothing of the kind. */
export function unwrappedOnce(args: Arguments, tool: string, schema: Schema): Arguments {
  const declared = parametersOf(schema);
  const isWrapper = typeof args["server_name"] === "string" && args["tool_name"] === tool;
  if (!isWrapper || declared.includes("server_name") || declared.includes("tool_name")) return args;
  const inner = innerArguments(args);
  return "refusal" in inner ? args : inner.found;
}
