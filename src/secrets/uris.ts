/** Credentials inside a URI: the password of `scheme://user:password@host`, or a user that is a token. */
import { ALPHANUMERIC, alphabet, classAt, DIGIT, LETTER, runEnd, runStart, URI_STOP, variety } from "./alphabet.ts";
import type { Scan } from "./scan.ts";
import { isPlaceholder } from "./values.ts";

const SCHEME = ALPHANUMERIC | alphabet("+-.");
const USER = ALPHANUMERIC | alphabet("_-.~%+");
const QUESTION = 63;
const NUMBER_SIGN = 35;
const COLON = 58;
const AT_SIGN = 64;
const LONGEST_SCHEME = 24;
const LONGEST_AUTHORITY = 2048;
const LEAST_PASSWORD = 3;
const LEAST_USER = 20;

/** What is hidden of the URI whose `://` begins at `at`: where scanning goes on. */
export function uriAt({ text, found }: Scan, at: number): number {
  const start = at + 3;
  if (runStart(text, at, SCHEME, at - LONGEST_SCHEME) === at) return start;
  let colon = -1;
  let host = -1;
  const limit = Math.min(text.length, start + LONGEST_AUTHORITY);
  let end = start;
  for (; end < limit; end += 1) {
    const code = text.charCodeAt(end);
    if (code === AT_SIGN) host = end;
    else if (code === COLON && colon < 0) colon = end;
    else if ((code === QUESTION || code === NUMBER_SIGN) && !beginsPassword(text, colon, end)) break;
    else if ((classAt(text, end) & URI_STOP) !== 0) break;
  }
  if (host < 0) return start;
  if (colon >= 0 && colon < host) {
    if (isToken(text, start, colon)) return found(start, host, "uri");
    const isSecret = host - colon > LEAST_PASSWORD && !isPlaceholder(text.slice(colon + 1, host));
    return isSecret ? found(colon + 1, host, "uri") : host;
  }
  return isToken(text, start, host) ? found(start, host, "uri") : start;
}

/** A `#` or `?` ends the authority unless it stands in a password: behind a colon that no port follows. */
function beginsPassword(text: string, colon: number, at: number): boolean {
  return colon >= 0 && runEnd(text, colon + 1, DIGIT, at) !== at;
}

/** A user that is none: some services take their token in its place. */
function isToken(text: string, start: number, end: number): boolean {
  if (end - start < LEAST_USER || runEnd(text, start, USER, end) !== end) return false;
  let seen = 0;
  for (let at = start; at < end; at += 1) seen |= classAt(text, at);
  return (seen & DIGIT) !== 0 && (seen & LETTER) !== 0 && variety(text, start, end) >= 10;
}
