/** Profiles of `auth`: their references looked up, their secrets collected, and what of them may be written down. */
import { isSecure } from "../auth/address.ts";
import type { Profile } from "../auth/profile.ts";
import type { AuthEntry } from "./auth-schema.ts";
import { sha256 } from "./jsonc.ts";
import { showPath } from "./problems.ts";
import { fillAt, joined, type Sources, UnresolvedReference } from "./references.ts";
import { type Registered, type Rules, secretsIn } from "./secrets.ts";
import type { Text } from "./texts.ts";

/** Secret by what they are for, whatever they look like. */
const SECRETS = ["token", "clientSecret"];
const URLS = ["issuer", "tokenUrl"];

/** The same profile with every text that may hold references changed. */
export function mapProfile(name: string, entry: AuthEntry, change: (text: Text) => string): AuthEntry {
  const changed = Object.entries(entry).map(([key, value]) => {
    const isTemplate = key !== "type" && typeof value === "string";
    return [key, isTemplate ? change({ where: showPath(["auth", name, key]), key, template: value }) : value];
  });
  return Object.fromEntries(changed) as AuthEntry;
}

/** Throws UnresolvedReference, in words that hold no value, when it cannot be used. */
export function resolveProfile(
  name: string,
  entry: AuthEntry,
  folder: string,
  { sources, rules }: { readonly sources: Sources; readonly rules: Rules },
): { readonly profile: Profile; readonly registered: readonly Registered[] } {
  const registered: Registered[] = [];
  const always: Rules = { ...rules, register: [...rules.register, ...SECRETS] };
  const filled = mapProfile(name, entry, (text) => {
    const pieces = fillAt(text, folder, sources);
    registered.push(...secretsIn(text, pieces, always));
    return joined(pieces).trim();
  });
  for (const [key, value] of Object.entries(filled)) {
    const where = showPath(["auth", name, key]);
    if (value === "") throw new UnresolvedReference(`${where} is empty`);
    // Header values; whatever else a token is made of is between the server and whoever gave it.
    if (typeof value === "string" && !/^[\x20-\x7e]+$/.test(value))
      throw new UnresolvedReference(`${where} holds a character that cannot be sent: only printable ASCII can`);
    if (URLS.includes(key) && !isSecure(String(value)))
      throw new UnresolvedReference(`${where} has to be an https address without a user in it`);
  }
  return { profile: withDefinition(name, filled), registered };
}

function withDefinition(name: string, entry: AuthEntry): Profile {
  const known = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
  if (entry.type === "bearer") return { ...known, name } as Profile;
  const { clientSecret: _, redirectPort: __, ...lasting } = known;
  return { ...known, name, definition: sha256(JSON.stringify(Object.entries(lasting).sort())) } as Profile;
}
