/** Names of servers: those that our rule forbids get the nearest one that it allows. */
import { ServerName } from "../config/server-schema.ts";

const LONGEST = 64;
/** In use by the program itself. */
const RESERVED = new Set(["builtin"]);

/** A valid name that is not in `taken` (lower case), which it is added to. The same name wherever it is valid and free. */
export function validName(name: string, taken: Set<string>): string {
  const base = ServerName.safeParse(name).success && !RESERVED.has(name.toLowerCase()) ? name : repaired(name);
  let valid = base;
  for (let n = 2; taken.has(valid.toLowerCase()); n++) valid = `${base.slice(0, LONGEST - 1 - String(n).length)}-${n}`;
  taken.add(valid.toLowerCase());
  return valid;
}

function repaired(name: string): string {
  const words = name
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/_{2,}/g, "_")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, LONGEST)
    .replace(/[^A-Za-z0-9]+$/, "");
  return words === "" ? "server" : RESERVED.has(words.toLowerCase()) ? `${words}-server` : words;
}
