/** Which values of a configuration are secrets: by the words in their names, and by not looking like a path, a number, a host or a plain URL. */

const MIN_LENGTH = 8;

const WORDS = new Set(
  `password passwords passwd pwd passphrase passcode pass secret secrets token tokens key keys apikey apikeys privatekey secretkey accesskey
  authkey authtoken accesstoken credential credentials cred creds bearer auth authorization cookie cookies jwt pat pin otp mfa ssn cvv cvc`.split(
    /\s+/,
  ),
);
/** Two words that mean a credential together, or that take the meaning from the word "key". */
const PHRASES = ["connection string", "access code", "security code", "auth code", "recovery code", "seed phrase"];
const NOT_SECRET = ["public key", "sort key", "primary key", "foreign key", "partition key"];

/** True when a key or a variable is named like a credential: API_KEY, clientSecret, X-Auth-Token; but not maxTokensPerDay's `monkey`. */
export function namesCredential(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .replace(/[^A-Za-z0-9]+/g, " ")
    .toLowerCase()
    .trim();
  if (PHRASES.some((phrase) => ` ${words} `.includes(` ${phrase} `))) return true;
  const rest = NOT_SECRET.reduce((left, phrase) => left.replaceAll(phrase, " "), words);
  return rest.split(" ").some((word) => WORDS.has(word));
}

/** MAX_TOKENS=512, USE_KEY=true, `?key=1` (which has no name of its own here): named like a credential, and none. */
export const isOrdinary = (name: string, value: string): boolean =>
  (name === "" && value.length < 4) || /^(?:true|false)$/i.test(value) || (/tokens/i.test(name) && /^[\d.,_]+$/.test(value));

/** True when a value can be concealed wherever it occurs without making ordinary text unreadable. */
export function canBeSecret(value: string): boolean {
  return value.length >= MIN_LENGTH && !isNumber(value) && !isAddress(value);
}

/** A path, a host or a plain URL: it says where something is, not what it is. */
export const isAddress = (value: string): boolean => isPath(value) || isHost(value) || isPlainUrl(value);

/** Long enough to be concealed everywhere; the only rule that `secrets.register` cannot lift. */
export const isLongEnough = (value: string): boolean => value.length >= MIN_LENGTH;

/** The credentials inside a URL: its password (or, without one, its user) and the query parameters that are named like credentials. */
export function secretsOfUrl(value: string): readonly string[] {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || !URL.canParse(value)) return [];
  const url = new URL(value);
  const named = [...url.searchParams].filter(([name]) => namesCredential(name)).map(([, parameter]) => parameter);
  return [url.password === "" ? url.username : url.password, ...named].flatMap(bothSpellings).filter((secret) => secret !== "");
}

/** `Bearer abc` → `abc`. */
export const withoutScheme = (value: string): string => value.replace(/^(?:bearer|basic|token|digest|apikey)\s+/i, "");

/** A part of a URL as it is written there and as it is meant. */
function bothSpellings(part: string): string[] {
  try {
    const meant = decodeURIComponent(part);
    return meant === part ? [part] : [part, meant];
  } catch {
    return [part];
  }
}

const isPlainUrl = (value: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(value) && URL.canParse(value) && secretsOfUrl(value).length === 0;

const isNumber = (value: string): boolean => /^[+-]?\d[\d.,_:/ -]*$/.test(value);

/** Host names are lower case; a dotted token (a JWT) hardly ever is. */
const isHost = (value: string): boolean => /^(?:localhost|(?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}|\[[0-9a-f:]+\])(?::\d{1,5})?$/.test(value);

/** Base64 may begin with a slash too: a long segment of mixed letters and digits is no folder. */
function isPath(value: string): boolean {
  const rooted = /^(?:~|\.{1,2})?\/[^\n]*$/.test(value) || /^[A-Za-z]:[\\/]/.test(value);
  const relative = /^[\w.-]+(?:\/[\w.-]+)+\.[a-z]{1,5}$/i.test(value);
  if (!rooted && !relative) return false;
  return !value.split(/[\\/]/).some((part) => part.length >= 20 && /[a-z]/.test(part) && /[A-Z]/.test(part) && /\d/.test(part));
}
