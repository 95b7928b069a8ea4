/** Whether a value that stands beside the name of a credential is one: no placeholder, no word, no address, no piece of a program. */
import { classAt, DIGIT, LETTER, LOWER, runEnd, SPACE, UPPER, variety } from "./alphabet.ts";
import type { Meaning } from "./names.ts";

/** Any of them in a value says that a value is to be put there. */
const BLANKS = [
  ..."${ {{ $( #{ %( << *** ... … xxxx _here -here your- your_ yourpass yourtoken example changeme change-me change_me".split(" "),
  ..."placeholder redacted replace- replace_ replaceme insert- insert_ dummy process.env environ getenv todo".split(" "),
];
const BLANK = new RegExp(BLANKS.map((blank) => blank.replace(/\W/g, "\\$&")).join("|"), "i");
const COMMON = new Set(
  `a an the my your our this that is in of for to and or no not none null nil undefined true false yes on off api key keys token tokens secret
  secrets password passwords passwd pass user username admin root app application client server access auth authorization bearer basic
  credential credentials test testing tests demo fake mock sample default value values string number boolean text name id type required
  optional hidden enabled disabled invalid valid missing empty private public new old current next data file path service account
  apikey authtoken accesstoken primary secondary master provider openai anthropic github gitlab google azure aws prod dev staging local internal external`.split(
    /\s+/,
  ),
);
const LONGEST = 4096;
const ENOUGH = 256;

/** Where a value stands: quoted, in a query or in a shell assignment it is data; bare behind a name it may be a piece of a program. */
export type Place = "data" | "code";

const VARIABLE = /^(?:\$[A-Za-z_]\w*|%\w+%|%[sdv]|[<{[(].*)$/s;

/** Nothing but a place for a value: `<token>`, `${TOKEN}`, `your-token-here`, `********`. */
export function isPlaceholder(value: string): boolean {
  return VARIABLE.test(value) || BLANK.test(value) || variety(value, 0, value.length) < 2;
}

/** Every word in it is one that names, describes or leaves out a secret: `my-api-key`, `string`, `test_token_1`. */
export function isMadeOfWords(value: string): boolean {
  for (let at = 0; at < value.length; ) {
    if ((classAt(value, at) & LETTER) === 0) at += 1;
    else {
      const end = runEnd(value, runEnd(value, at, UPPER), LOWER);
      if (!COMMON.has(value.slice(at, end).toLowerCase())) return false;
      at = end;
    }
  }
  return true;
}

/** A URL, a path, a host, a dotted name, a number, a date or a version: it says where or how much, not what. */
function isPlain(value: string): boolean {
  if (/^\d+$/.test(value)) return false;
  if (/^[\d.,:/+TZ-]+$/.test(value) || value.includes("://")) return true;
  if (/^(?:[A-Za-z_][\w-]*\.)+[A-Za-z_][\w-]*(?::\d+)?$/.test(value) && (value.match(/\d/g) ?? []).length < 3) return true;
  const parts = value.split(/[\\/]/);
  if (parts.length < 2) return false;
  const isRooted = parts[0] === "" || /^(?:~|\.{1,2}|[A-Za-z]:)$/.test(parts[0] ?? "");
  const isLower = parts.every((part) => /^[a-z0-9._@-]*$/.test(part));
  return isLower || (isRooted && !parts.some((part) => part.length >= 16 && isMixed(part)));
}

const isMixed = (text: string): boolean => /\d/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text);

interface Counts {
  readonly digits: number;
  readonly lower: number;
  readonly upper: number;
  readonly marks: number;
  /** How often a letter stands beside a digit. */
  readonly changes: number;
}

/** Undefined when white space stands in it. */
function count(value: string): Counts | undefined {
  let [digits, lower, upper, marks, changes, before] = [0, 0, 0, 0, 0, 0];
  for (let at = 0; at < value.length && at < ENOUGH; at += 1) {
    const bits = classAt(value, at);
    if ((bits & SPACE) !== 0) return undefined;
    if ((bits & DIGIT) !== 0) digits += 1;
    else if ((bits & LOWER) !== 0) lower += 1;
    else if ((bits & UPPER) !== 0) upper += 1;
    else marks += 1;
    const kind = bits & DIGIT ? DIGIT : bits & LETTER;
    if (before !== 0 && kind !== 0 && (before === DIGIT) !== (kind === DIGIT)) changes += 1;
    before = kind;
  }
  return { digits, lower, upper, marks, changes };
}

const CODE = /[(){}[\]<>;,'"`!?*&|\\]/;

/** Whether the value of a name of this meaning is a secret. */
export function isSecret(value: string, meaning: Meaning, place: Place): boolean {
  if (value.length < (meaning === "password" ? 6 : 8) || value.length > LONGEST) return false;
  const counts = count(value);
  if (!counts || !looksRandom(value, counts, meaning, place)) return false;
  const beginning = value.slice(0, ENOUGH);
  return !isPlaceholder(beginning) && !isPlain(beginning) && !isMadeOfWords(beginning);
}

function looksRandom(value: string, { digits, lower, upper, marks, changes }: Counts, meaning: Meaning, place: Place): boolean {
  const letters = lower + upper;
  const { length } = value;
  const different = variety(value, 0, Math.min(length, ENOUGH));
  if (different < 5) return false;
  if (meaning === "key") return length >= 16 && different >= 10 && changes >= 3 && lower >= 2 && upper >= 2 && marks * 8 <= length;
  if (place === "code") {
    const isTangled = (changes >= 3 && length >= 12) || (changes >= 4 && length >= 10);
    const isLong = length >= 20 && different >= 12 && (digits >= 2 || (lower > 3 && upper * 3 >= letters));
    return (isTangled || isLong) && !CODE.test(value);
  }
  if (letters === 0 && marks === 0) return length >= 15;
  if (digits > 0 && letters > 0) return meaning === "password" || changes >= 2 || length >= 16;
  if (meaning === "password") return marks > 0 ? letters > 0 : letters >= 8 && (lower === 0 || upper === 0 || upper > 1);
  return length >= 16 && different >= 10 && lower * 4 >= length && upper * 4 >= length;
}
