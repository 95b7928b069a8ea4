/** A definition whose descriptions hide nothing: what a client shows to a person is what its model reads. */
import { showInvisible } from "../../actors/visible-text.ts";

const TEXTS = new Set(["title", "description"]);
/** They are data: a call has to give them as they are. */
const DATA = new Set(["const", "enum", "default", "examples"]);
const MAX_DEPTH = 64;

/** The same object where nothing in its titles and descriptions is hidden. */
export const shownTexts = <T>(value: T): T => shown(value, 0) as T;

function shown(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  const changed = Object.entries(value).flatMap(([key, before]) => {
    if (DATA.has(key)) return [];
    const after = typeof before === "string" ? (TEXTS.has(key) ? showInvisible(before) : before) : shown(before, depth + 1);
    return after === before ? [] : [[key, after] as const];
  });
  if (changed.length === 0) return value;
  const changes = Object.fromEntries(changed);
  return Array.isArray(value) ? value.map((one, index) => changes[index] ?? one) : { ...value, ...changes };
}
