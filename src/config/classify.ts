/** Proposes what a server's tools may do, from their hints and their names, for an operator to read and correct. */
import type { Capability } from "../../events/call.ts";

export interface Classified {
  readonly capability: Capability;
  /** In a few words. */
  readonly reason: string;
}
/** What of a tool's definition counts. */
export interface Classifiable {
  readonly name: string;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));
const READ = words(`
  analyze browse calculate check compare compute count describe diff estimate explain fetch find get inspect list lookup ping preview read
  retrieve search show stat summarize validate view`);
const CHANGE = words(`
  add append apply approve archive assign block book buy cancel change clear click close commit copy create delete deploy destroy disable
  drop edit enable exec execute fill forward grant import insert install invite join kill leave make merge modify move navigate order
  overwrite patch pay post press publish purge push put register reject remove rename replace reply reset restart revoke run save schedule
  send set star start stop store submit transfer trigger type uninstall unregister update upload upsert write`);
/** They are no nouns: wherever they stand in a name, something is changed. */
const ALWAYS = words("create delete destroy execute insert modify overwrite purge remove replace send");
/** Done twice it has happened twice. */
const TWICE = words("append create insert post send");
const AND = words("and or then");

/** `getUser_by-id` → get, user, by, id. */
const partsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== "");

/** What the name says: the first verb counts, unless a second one is joined to it. */
function named(name: string): { readonly changes: boolean; readonly verb: string } | undefined {
  const parts = partsOf(name);
  const verb = parts.find((part) => READ.has(part) || CHANGE.has(part));
  if (verb === undefined) return undefined;
  const joined = parts.find((part, index) => CHANGE.has(part) && AND.has(parts[index - 1] ?? ""));
  const change = CHANGE.has(verb) ? verb : (joined ?? parts.find((part) => ALWAYS.has(part)));
  return change === undefined ? { changes: false, verb } : { changes: true, verb: change };
}

/** In doubt it is `mutating`: such a call is never repeated by itself. */
export function classifyTool({ name, annotations = {} }: Classifiable): Classified {
  const { destructiveHint, readOnlyHint, idempotentHint } = annotations;
  const said = named(name);
  const mutating = (reason: string): Classified => ({ capability: "mutating", reason });
  if (destructiveHint === true) return mutating("its server says that it destroys (destructiveHint)");
  if (readOnlyHint === true)
    return said?.changes ? mutating(`readOnlyHint, but its name says "${said.verb}"`) : { capability: "read", reason: "readOnlyHint" };
  if (idempotentHint === true)
    return said && TWICE.has(said.verb)
      ? mutating(`idempotentHint, but its name says "${said.verb}"`)
      : { capability: "idempotent", reason: "idempotentHint" };
  if (said === undefined) return mutating("nothing tells");
  if (said.changes) return mutating(`its name says "${said.verb}"`);
  return readOnlyHint === false
    ? mutating(`its name says "${said.verb}", but its server says that it changes something`)
    : { capability: "read", reason: `its name says "${said.verb}"` };
}
