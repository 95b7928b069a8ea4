/** Arguments of a call as a model may see them: nothing that stands under the name of a credential. */
import { looksCredential } from "../../actors/elicit/credentials.ts";
import { meaningOf } from "../secrets/names.ts";

const REDACTED = "[redacted]";
/** Deeper than any tool's input. */
const MAX_DEPTH = 64;

export function withoutCredentials(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return REDACTED;
  if (Array.isArray(value)) return value.map((one) => withoutCredentials(one, depth + 1));
  const members = Object.entries(value).map(([key, member]) => [key, isCredential(key) ? REDACTED : withoutCredentials(member, depth + 1)]);
  return Object.fromEntries(members);
}

/** By either vocabulary; a `key` alone is as often none. */
const isCredential = (key: string): boolean => !["none", "key"].includes(meaningOf(key)) || looksCredential(key);
