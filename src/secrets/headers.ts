/** What the headers of HTTP and the options of curl carry: schemes with credentials, cookies, `-u user:password`. */
import { ALPHANUMERIC, alphabet, classAt, runEnd, SPACE } from "./alphabet.ts";
import { meaningOf } from "./names.ts";
import type { Scan } from "./scan.ts";
import { isMadeOfWords, isPlaceholder, isSecret, type Place } from "./values.ts";

const SCHEME = ALPHANUMERIC | alphabet("_-");
const SCHEMES = /^(?:bearer|basic|token|apikey|api-key|key|negotiate|ntlm|hmac|ssws|splunk|genie[kK]ey|oauth|digest|hawk|bot)$/i;
const COOKIE_ATTRIBUTES = /^(?:path|domain|expires|max-age|samesite|priority|version|comment)$/i;
const SESSIONS = /(?:^|[_.-])(?:s|sid|sess|session|sessionid|auth|remember)(?:[_.-]?id)?$|sess(?:ion)?_?id$/i;
/** They carry named parameters instead of credentials. */
const PARAMETERS = /^(?:oauth|digest|hawk)$/i;
const LEAST_CREDENTIALS = 4;

interface Part {
  readonly start: number;
  readonly end: number;
}

/** `Scheme credentials` in `[start, end)`, the value of an authorization header: hides the credentials only. */
export function authorizationIn({ text, found }: Scan, { start, end }: Part, place: Place): number {
  const schemeEnd = runEnd(text, start, SCHEME, end);
  const scheme = text.slice(start, schemeEnd);
  const from = runEnd(text, schemeEnd, SPACE, end);
  const hasScheme = from > schemeEnd && SCHEMES.test(scheme);
  const credentials = text.slice(hasScheme ? from : start, end).split(/[\s,;]/, 1)[0] ?? "";
  const at = hasScheme ? from : start;
  const isGiven = credentials.length >= LEAST_CREDENTIALS && !isPlaceholder(credentials) && !isMadeOfWords(credentials);
  const isOne = hasScheme ? isGiven && !PARAMETERS.test(scheme) : isSecret(credentials, "secret", place);
  return isOne ? found(at, at + credentials.length, hasScheme ? "authorization" : "credential") : start;
}

/** The cookies in `[start, end)` that are named or look like sessions; others say what a page shall look like. */
export function cookiesIn({ text, found }: Scan, { start, end }: Part): number {
  let last = start;
  let at = start;
  for (const pair of text.slice(start, end).split(";")) {
    const equals = pair.indexOf("=");
    const name = pair.slice(0, equals).trim();
    const value = pair.slice(equals + 1).trim();
    const isSession = SESSIONS.test(name) || meaningOf(name) !== "none";
    if (equals > 0 && !COOKIE_ATTRIBUTES.test(name) && isSecret(value, isSession ? "secret" : "key", "data")) {
      const from = at + pair.indexOf(value, equals + 1);
      last = found(from, from + value.length, "cookie");
    }
    at += pair.length + 1;
  }
  return last;
}

const OPTION = /^(?:-u|-U|--user|--proxy-user)(?:[ =]|(?=["']))\s*/;
const LINE_WITHIN = 512;
const LONGEST_WORD = 512;

/** `-u user:password` of curl, with its first dash at `at`. */
export function curlUserAt({ text, found }: Scan, at: number): number {
  if ((text.charCodeAt(at + 1) | 32) !== 117 && text.charCodeAt(at + 1) !== 45) return at;
  const option = OPTION.exec(text.slice(at, at + 24))?.[0];
  if (option === undefined || (classAt(text, at - 1) & SPACE) === 0 || !isCurl(text.slice(Math.max(0, at - LINE_WITHIN), at))) return at;
  const start = at + option.length;
  const end = wordEnd(text, start);
  const word = text.slice(start, end);
  const colon = word.indexOf(":");
  if (colon < 0 || isPlaceholder(word.replace(/^["']/, ""))) return at;
  const [user, password] = [word.slice(0, colon).replace(/^["'\\]+/, ""), word.slice(colon + 1).replace(/["'\\]+$/, "")];
  const isPassword = password.length >= LEAST_CREDENTIALS && !isPlaceholder(password) && !/^\d+$/.test(password);
  if (isPassword) return found(start + colon + 1, start + colon + 1 + password.length, "password");
  return password === "" && isSecret(user, "password", "data") ? found(start + colon - user.length, start + colon, "password") : at;
}

/** The command line in front of an option is one of curl: no line ends behind that word. */
function isCurl(before: string): boolean {
  const curl = before.lastIndexOf("curl");
  return curl >= 0 && !/(?:^|[^\\])\n/.test(before.slice(curl));
}

/** The end of a word of a command line that may be quoted in parts. */
function wordEnd(text: string, start: number): number {
  let quote = "";
  for (let at = start; at < text.length && at < start + LONGEST_WORD; at += 1) {
    const char = text.charAt(at);
    if (quote === "" && (classAt(text, at) & SPACE) !== 0) return at;
    if (char === "\n") return at;
    if (quote === "" && (char === '"' || char === "'")) quote = char;
    else if (char === quote) quote = "";
  }
  return Math.min(text.length, start + LONGEST_WORD);
}
