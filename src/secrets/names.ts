/** What a name says about the value beside it: the vocabulary of credentials, in any spelling. */

/** `cookie` and `authorization` hold several things, of which some are secrets; `key` and `auth` are said of much that is none. */
export type Meaning = "none" | "key" | "secret" | "password" | "authorization" | "cookie" | "auth";

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

const PASSWORDS = words("password passwd passphrase passcode pwd");
const SECRETS = words("secret secrets token credential credentials creds apikey bearer jwt pass passwords kennwort");
const KEYS = words("key keys auth tokens pat sig");
/** In front of "key" these make it a secret. */
const KEY_OF = words(
  `api access account private secret auth signing encryption decryption license licence master service subscription shared storage admin
  app application client consumer webhook deploy integration aes hmac ssh pgp gpg cipher symmetric instrumentation ingest function host
  system unseal recovery root security project write bot server`,
);
/** In front of "token" these make it none: it says where a list goes on, or what a text is made of. */
const PLAIN_TOKEN_OF = words(
  `page next prev previous continuation cancellation progress sync resume resumption sequence change cursor skip scroll pagination syntax
  max min total input output prompt completion start stop end first last current eos bos pad unk sep cls mask special delimiter`,
);
/** Written without a border between the words. */
const ENDINGS_OF_ONE_WORD =
  /(?:password|passwd|passphrase|secret|token|(?:api|access|secret|private|auth|license|signing|encryption|master|account|ssh)key)$/;
/** May follow the word that counts: SECRET_KEY_BASE, tokenValue, password_prod. */
const SUFFIXES = words(
  "base value string plain plaintext text raw b64 base64 encoded prod production dev development staging test live old new default main admin",
);

const LAST_WORDS = [...PASSWORDS, ...SECRETS, ...KEYS, ...SUFFIXES, "authorization", "cookie", "str", "any"];
const ENDINGS = new Uint8Array(1 << 15);
const ending = (a: number, b: number, c: number): number => ((a & 31) << 10) | ((b & 31) << 5) | (c & 31);
for (const word of LAST_WORDS) {
  const [a, b, c] = [...word.replace(/\d+$/, "").slice(-3)].map((char) => char.charCodeAt(0));
  ENDINGS[ending(a!, b!, c!)] = 1;
}

const known = new Map<string, Meaning>();
const MOST_KNOWN = 4096;
const LONGEST_NAME = 80;

/** Whether a name that ends in front of `end` could mean anything, by its last three letters (digits behind them do not count). */
export function mayMean(text: string, end: number): boolean {
  let at = end;
  for (let code = text.charCodeAt(at - 1); code >= 48 && code <= 57; code = text.charCodeAt(at - 1)) at -= 1;
  return ENDINGS[ending(text.charCodeAt(at - 3), text.charCodeAt(at - 2), text.charCodeAt(at - 1))] === 1;
}

/** What the value of this name is. */
export function meaningOf(name: string): Meaning {
  if (name.length > LONGEST_NAME || !mayMean(name, name.length)) return "none";
  const before = known.get(name);
  if (before !== undefined) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const meaning = judge(wordsOf(name));
  known.set(name, meaning);
  return meaning;
}

function wordsOf(name: string): string[] {
  const all = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  while (all.length > 1 && (SUFFIXES.has(all.at(-1) ?? "") || /^\d+$/.test(all.at(-1) ?? ""))) all.pop();
  return all;
}

function judge(all: readonly string[]): Meaning {
  const last = (all.at(-1) ?? "").replace(/\d+$/, "");
  const before = all.at(-2) ?? "";
  if (last === "authorization" || last === "cookie") return last;
  if (PASSWORDS.has(last)) return "password";
  if (last === "token" && PLAIN_TOKEN_OF.has(before)) return "none";
  if (last === "string") return before === "connection" ? "secret" : "none";
  if (SECRETS.has(last)) return "secret";
  if (last === "key" && KEY_OF.has(before)) return "secret";
  if (last === "auth") return "auth";
  if (KEYS.has(last)) return before === "public" ? "none" : "key";
  const glued = ENDINGS_OF_ONE_WORD.exec(last)?.[0];
  if (glued === undefined) return "none";
  return glued.startsWith("pass") ? "password" : "secret";
}
