/** Credentials without a prefix but with a form of their own: JSON Web Tokens, and the tokens of some services. */
import { ALPHANUMERIC, alphabet, classAt, DIGIT, LOWER, runEnd, runStart, UPPER, variety } from "./alphabet.ts";
import type { Scan } from "./scan.ts";

const URL64 = alphabet("9aA_-");
const LEAST_HEADER = 17;
const LEAST_CLAIMS = 10;
/** An encrypted token has five parts, of which the second may be empty. */
const MOST_PARTS = 5;

/** A signed or encrypted JSON Web Token at `at`, where "ey" stands: its end, or how far none can begin, as a negative number. */
export function jwtEnd(text: string, at: number): number {
  const header = runEnd(text, at, URL64);
  const begins = (classAt(text, at + 2) & (UPPER | DIGIT)) !== 0 && variety(text, at, Math.min(header, at + LEAST_HEADER)) >= LEAST_CLAIMS;
  if (!begins || header - at < LEAST_HEADER || text[header] !== ".") return -header;
  const isSigned = text.startsWith("ey", header + 1);
  let end = header;
  let parts = 1;
  while (text[end] === "." && parts < (isSigned ? 3 : MOST_PARTS)) {
    end = runEnd(text, end + 1, URL64);
    parts += 1;
  }
  const isWhole = isSigned ? end - header > LEAST_CLAIMS : parts === MOST_PARTS && text.startsWith("eyJ", at);
  return isWhole ? end : -header;
}

const BOT_SECRET = 35;
/** `NNNNNNNN:A…`, the token of a Telegram bot, with its colon at `at`. */
export function telegramAt({ text, found }: Scan, at: number): number {
  if (text[at + 1] !== "A") return at;
  const end = runEnd(text, at + 1, URL64, at + 2 + BOT_SECRET);
  const start = runStart(text, at, DIGIT, at - 17);
  const isAlone = (classAt(text, start - 1) & ALPHANUMERIC) === 0 || text.startsWith("bot", start - 3);
  const isNumber = at - start >= 5 && at - start <= 16 && isAlone;
  if (!isNumber || end - at - 1 !== BOT_SECRET || variety(text, at + 1, end) < LEAST_CLAIMS) return at;
  return found(start, end, "telegram");
}

const AZURE = alphabet("9aA_-.~");
/** `xxx8Q~…`, the secret of an application of Entra ID, with its first tilde at `at`. */
export function azureAt({ text, found }: Scan, at: number): number {
  const start = at - 5;
  if (start < 0 || text[at - 1] !== "Q" || (classAt(text, at - 2) & DIGIT) === 0) return at;
  const run = runEnd(text, at + 1, AZURE, at + 37);
  const end = text[run - 1] === "." ? run - 1 : run;
  const rest = end - at - 1;
  if (runStart(text, at, AZURE, start - 1) !== start || rest < 31 || rest > 34 || variety(text, at + 1, end) < LEAST_CLAIMS) return at;
  return found(start, end, "azure");
}

/** `NNN…|xxx…`, the token of a Facebook application, with its bar at `at`. */
export function facebookAt({ text, found }: Scan, at: number): number {
  const start = runStart(text, at, DIGIT, at - 17);
  const end = runEnd(text, at + 1, URL64, at + 30);
  const isToken = at - start >= 15 && at - start <= 16 && end - at >= 27 && end - at <= 29;
  return isToken && (classAt(text, start - 1) & ALPHANUMERIC) === 0 && variety(text, at + 1, end) >= LEAST_CLAIMS
    ? found(start, end, "facebook")
    : at;
}

/** The end of the token of a Discord bot at `at`: its number in base64, a time, a signature. `at` when there is none. */
export function discordEnd(text: string, at: number): number {
  const first = runEnd(text, at, ALPHANUMERIC, at + 29);
  const second = runEnd(text, first + 1, URL64, first + 8);
  const end = runEnd(text, second + 1, URL64, second + 41);
  const hasParts = first - at >= 23 && first - at <= 28 && text[first] === "." && second - first === 7 && text[second] === ".";
  const isMixed = (classAt(text, at + 1) & (UPPER | LOWER)) !== 0 && variety(text, second, end) >= LEAST_CLAIMS;
  return hasParts && isMixed && end - second > 27 && end - second <= 39 ? end : at;
}
