/** Texts of a server that nobody accepts one by one: what reads like an attack is not passed on, what is hidden is shown. */
import { scanText } from "../definition-scan.ts";
import { showInvisible } from "../visible-text.ts";

/** What stands in its place. `what`: "the instructions". */
const withheld = (what: string): string =>
  `[${what} of this server withheld: it reads like an attempt to give orders that are not the server's business]`;

export const harmlessText = (text: string, what: string): string =>
  scanText(text, what).some(({ severity }) => severity === "high") ? withheld(what) : showInvisible(text);

const TEXTS = ["name", "title", "version", "description"];

/** An entry of a list, or a server's words about itself, with harmless names and descriptions; addresses are left as they are. */
export function harmlessEntry<T extends object>(entry: T, what: string): T {
  const changed = Object.entries(entry).flatMap(([key, value]): [string, string][] => {
    if (!TEXTS.includes(key) || typeof value !== "string") return [];
    const harmless = harmlessText(value, `${key} of ${what}`);
    return harmless === value ? [] : [[key, harmless]];
  });
  return changed.length === 0 ? entry : { ...entry, ...Object.fromEntries(changed) };
}
