/** What helps an agent to a missing argument: its schema, what the tool says of it, and earlier calls that may hold its value. */
import { listKeys } from "./parameters.ts";

/** A call of the same session that was answered without an error. */
export interface EarlierCall {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Redacted; undefined when they were erased. */
  readonly arguments: unknown;
}
export interface MissingArgument {
  readonly field: string;
  /** The field's schema. */
  readonly parameter: unknown;
  /** Of the tool. */
  readonly description: string | undefined;
  /** What the environment knows, though it was not filled in. */
  readonly known: string | undefined;
  /** Newest first. */
  readonly earlier: Iterable<EarlierCall>;
}

const MAX_EARLIER = 5;
const MAX_ARGUMENTS = 200;
const MAX_SENTENCE = 300;
const MAX_PARAMETER = 1000;
/** A shorter root stands in too many words to mean anything. */
const MIN_ROOT = 3;

const cut = (text: string, length: number): string => (text.length <= length ? text : `${text.slice(0, length)}…`);

export function describeMissing({ field, parameter, description, known, earlier }: MissingArgument): string {
  const sentence = sentenceNaming(field, description);
  const calls = related(field, earlier);
  return [
    `The argument ${listKeys([field])} is missing. Its schema: ${cut(JSON.stringify(parameter), MAX_PARAMETER)}`,
    ...(sentence === undefined ? [] : [`The tool's description says: ${cut(sentence, MAX_SENTENCE)}`]),
    ...(known === undefined
      ? []
      : [`As far as toolcrib knows it would be ${JSON.stringify(known)} here. Nothing was filled in: call again with it if it is right.`]),
    ...(calls.length === 0 ? [] : ["Recent calls of this session that may lead to its value:", ...calls]),
  ].join("\n");
}

/** The first sentence of the description with the field's name as a word. */
function sentenceNaming(field: string, description = ""): string | undefined {
  const named = new RegExp(`(?<![\\w$])${field.replace(/[^\w]/g, "\\$&")}(?![\\w$])`, "i");
  return description
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .find((sentence) => named.test(sentence));
}

/** `account_id`, `accountId` → `account`. */
export const rootOf = (field: string): string => field.replace(/(?:[_-]id|Id|ID)s?$/, "").toLowerCase();

function related(field: string, earlier: Iterable<EarlierCall>): string[] {
  const root = rootOf(field);
  const lines: string[] = [];
  if (root.length < MIN_ROOT) return lines;
  for (const { name, at, arguments: args } of earlier) {
    const text = JSON.stringify(args ?? {});
    if (!name.toLowerCase().includes(root) && !text.toLowerCase().includes(root)) continue;
    lines.push(`- ${name} ${cut(text, MAX_ARGUMENTS)} (${new Date(at).toISOString()})`);
    if (lines.length === MAX_EARLIER) break;
  }
  return lines;
}

/** Parts of what we add to an answer of a tool, in one text block of its own. */
export const ourNote = (...parts: readonly (string | undefined)[]): string | undefined => {
  const said = parts.filter((part) => part !== undefined);
  return said.length > 0 ? `Note from toolcrib, not from the tool: ${said.join("\n")}` : undefined;
};

/** What repeats had filled in; `then` ends the sentence. */
export function describeFilled(filled: Readonly<Record<string, string>> = {}, then: string): string | undefined {
  const fields = Object.entries(filled).map(([field, value]) => `${listKeys([field])}: ${JSON.stringify(value)}`);
  return fields.length > 0 ? `The tool had missed something, so toolcrib called it again with ${fields.join(", ")}${then}` : undefined;
}
