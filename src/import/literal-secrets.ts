/** Secrets that stand in an entry as text: where they are, and the entry with references to the secret store in their place. */

import { isAddress, isOrdinary, namesCredential, secretsOfUrl } from "../config/secret-values.ts";
import { maskLiterals, type Rules } from "../config/secrets.ts";
import { Server } from "../config/server-schema.ts";
import { mapTexts } from "../config/texts.ts";
import { familyOf } from "../secrets/patterns.ts";
import { isPlainObject, type Plain, type PlainObject } from "./read.ts";
import { secretName } from "./variables.ts";

export interface LiteralSecret {
  /** Its path in our entry, e.g. `headers.Authorization` or `args[2]`. */
  readonly field: string;
  /** The name that tells what it is, where there is one. */
  readonly key: string;
  readonly value: string;
}

const RULES: Rules = { register: [], ignore: [], family: familyOf };
const SERVER = "s";
const PLACE = `mcpServers.${SERVER}.`.length;
/** Cannot stand in a configured text. */
const MARK = "\0";
const MARKED = /\0(\d+)\0/g;
/** A reference holds no other: a secret default takes the place of the whole. */
const IN_DEFAULT = /\$\{env:\w+:-[^}\0]*\0(\d+)\0[^}]*\}/g;

/** What somebody wrote instead of a secret, for others to fill in. */
export const isPlaceholder = (value: string): boolean =>
  /^(?:[<{[(%].*[>}\])%]|x{4,}|\*{3,}|\.{3,}|changeme|todo)$|your|replace|example|placeholder|insert|secret-?here|dummy/is.test(value);

/** The entry after `change` has named each of its literal secrets: the name of a stored secret takes its place, undefined leaves it. */
export function mapSecrets(entry: PlainObject, change: (secret: LiteralSecret) => string | undefined): PlainObject {
  const parsed = Server.safeParse(entry);
  if (!parsed.success) return entry;
  const mapped = mapTexts(SERVER, { ...parsed.data, file: "", folder: "" }, ({ where, key, template }) => {
    const names: string[] = [];
    const masked = maskLiterals({ key, template }, RULES, (value) => {
      const name = isOrdinary(key, value) ? undefined : change({ field: where.slice(PLACE), key, value });
      return name === undefined ? value : `${MARK}${names.push(name) - 1}${MARK}`;
    });
    const reference = (_: string, index: string) => `\${secret:${names[Number(index)]}}`;
    return names.length === 0 ? template : masked.replace(IN_DEFAULT, reference).replace(MARKED, reference);
  });
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, (Reflect.get(mapped, key) as Plain | undefined) ?? value]));
}

export function literalSecrets(entry: PlainObject): readonly LiteralSecret[] {
  const found: LiteralSecret[] = [];
  mapSecrets(entry, (secret) => {
    found.push(secret);
    return undefined;
  });
  return found;
}

/** Paths of texts that look like secrets in fields that are not carried over, so that nobody leaves them behind unseen. */
export function secretsLeftIn(field: string, value: Plain): readonly string[] {
  if (isPlainObject(value)) return Object.entries(value).flatMap(([key, item]) => secretsLeftIn(`${field}.${key}`, item));
  if (typeof value !== "string" || /^\$\{[^}]*\}$/.test(value) || value === "") return [];
  const key = field.slice(field.lastIndexOf(".") + 1);
  const isNamed = namesCredential(key) && !isAddress(value) && !/^(?:auth|authorization)?provider|type$/i.test(key);
  return isNamed || secretsOfUrl(value).length > 0 ? [field] : [];
}

/** A free name in the store for a secret: the one it has in the entry, with the server's in front where that says too little or is taken. */
export function storeName(server: string, { field, key }: LiteralSecret, isFree: (name: string) => boolean): string {
  const own = secretName(field.startsWith("env.") ? key : `${server}.${key === "" ? field : key.replace(/^-+/, "")}`);
  const candidates = [own, secretName(`${server}.${own}`)];
  for (let n = 2; ; n++) {
    const free = candidates.find(isFree);
    if (free !== undefined) return free;
    candidates.push(`${own}-${n}`);
  }
}
