/** Keys that the documentation of later releases names. They get a clear refusal here: a key that is accepted has an effect. */
import type { KeyPath } from "./problems.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const TOP = words("tools results telemetry retention web sandbox");
const PROFILE = words("results");
export const LATER_SERVER_KEYS = words("attachments");

/** Properties that other programs write into an mcp.json of this shape. Here ids and origins are events, so they say nothing. */
export const BOOKKEEPING = words("id origin");

/** True when the key at `path` (the last element) belongs to a later release. */
export function isLaterKey(path: KeyPath): boolean {
  const [first] = path;
  const key = String(path.at(-1));
  if (path.length === 1) return TOP.has(key);
  if (path.length === 3 && first === "profiles") return PROFILE.has(key);
  return path.length === 3 && first === "mcpServers" && LATER_SERVER_KEYS.has(key);
}
