/** One spelling of a server's entry out of those that other programs write. */
import { BOOKKEEPING, LATER_SERVER_KEYS } from "./later-keys.ts";
import { documentedNames } from "./question-schema.ts";
import { SERVER_KEYS } from "./server-schema.ts";

const KEYS = new Map([...SERVER_KEYS, ...LATER_SERVER_KEYS, ...BOOKKEEPING].map((key) => [key.toLowerCase(), key]));
KEYS.set("description", "summary");
const SPELLINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  type: { streamable: "streamable-http", streamablehttp: "streamable-http" },
  transportMode: { streamable: "streamable-http", streamablehttp: "streamable-http", http: "streamable-http" },
};

/**
 * Bring an entry into the documented spelling: property names and the values of `type` and `transportMode` are read without regard to case,
 * older words for them are known, a property that is null counts as left out, and so does a later release's property that is switched off.
 * Anything else is returned as it is, for the schema to judge. `ignored` names what was left out although it said something.
 */
export function canonicalEntry(raw: unknown): { entry: unknown; ignored: readonly string[] } {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return { entry: raw, ignored: [] };
  const entry: Record<string, unknown> = {};
  const ignored: string[] = [];
  for (const [written, value] of Object.entries(raw)) {
    const documented = KEYS.get(written.toLowerCase());
    const taken =
      documented !== undefined && documented !== written && (Object.hasOwn(raw, documented) || Object.hasOwn(entry, documented));
    const key = documented === undefined || taken ? written : documented; // a second spelling of one key is an unknown key
    if (value === null || (LATER_SERVER_KEYS.has(key) && isOff(value))) continue;
    if (BOOKKEEPING.has(key)) ignored.push(written);
    else if (key === "elicitation") entry[key] = documentedNames(value);
    else entry[key] = typeof value === "string" && Object.hasOwn(SPELLINGS, key) ? respell(key, value.toLowerCase()) : value;
  }
  return { entry, ignored };
}

const respell = (key: string, word: string): string => {
  const words = SPELLINGS[key] ?? {};
  return Object.hasOwn(words, word) ? (words[word] ?? word) : word;
};

const isOff = (value: unknown): boolean =>
  value === false || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
