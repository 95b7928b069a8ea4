/** How large an input is, before anything expensive looks at it. */

/** What the input of a tool may have. */
export const INPUT_LIMITS = { elements: 10_000, depth: 64 } as const;

/** `elements` counts every value: containers, strings, numbers, booleans and nulls. `depth` is 0 for a plain value, 1 for `{}`. */
export interface Measure {
  readonly elements: number;
  readonly depth: number;
  /** The limit at which measuring stopped; the numbers then are how far it got. */
  readonly exceeded?: "elements" | "depth";
}

/** Measures a JSON value and stops at the first limit that it exceeds, so that the cost is bounded by the limits. */
export function measure(value: unknown, limits: { readonly elements: number; readonly depth: number } = INPUT_LIMITS): Measure {
  let elements = 0;
  let deepest = 0;
  const visit = (part: unknown, depth: number): Measure["exceeded"] => {
    elements += 1;
    if (elements > limits.elements) return "elements";
    if (typeof part !== "object" || part === null) return undefined;
    deepest = Math.max(deepest, depth + 1);
    if (deepest > limits.depth) return "depth";
    if (Array.isArray(part)) return firstOf(part, depth);
    const members = part as Readonly<Record<string, unknown>>;
    // for…in instead of Object.keys: leaves early without a list of a million keys.
    for (const key in members) {
      const exceeded = visit(members[key], depth + 1);
      if (exceeded) return exceeded;
    }
    return undefined;
  };
  const firstOf = (items: readonly unknown[], depth: number): Measure["exceeded"] => {
    for (const item of items) {
      const exceeded = visit(item, depth + 1);
      if (exceeded) return exceeded;
    }
    return undefined;
  };
  const exceeded = visit(value, 0);
  return exceeded ? { elements, depth: deepest, exceeded } : { elements, depth: deepest };
}

/** Which bound the members of a container break, if any; the container itself does not count. */
export const brokenBound = (value: unknown, elements: number = INPUT_LIMITS.elements): Measure["exceeded"] =>
  measure(value, { elements: elements + 1, depth: INPUT_LIMITS.depth }).exceeded;

/** Sixteen digits in a row, or an exponent of three digits: only then a number can be beyond what JSON parsers keep. */
const SUSPECT = /[0-9]{16}|[eE][+-]?[0-9]{3}/;
const LARGEST = "9007199254740992";
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The first number in a JSON text, as it is written there, that parsing would alter silently: an integer beyond 2^53 (either sign), or one
 * too large for a double (another fraction or exponent is a floating-point number by intent). Looks outside of strings only.
 * The text need not be valid. Linear; a text without a suspicious run of digits costs one fast scan.
 */
export function findUnsafeInteger(text: string): string | undefined {
  if (!SUSPECT.test(text)) return undefined;
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if (!isDigit(unit)) at += 1;
    else {
      const end = endOfNumber(text, at);
      const literal = text.slice(at, end);
      if (isBeyond(literal)) return text.charAt(at - 1) === "-" ? `-${literal}` : literal;
      at = end;
    }
  }
  return undefined;
}

function endOfString(text: string, opening: number): number {
  for (let at = opening + 1; ; ) {
    const closing = text.indexOf('"', at);
    if (closing < 0) return text.length;
    let escapes = closing;
    while (text.charCodeAt(escapes - 1) === BACKSLASH && escapes > at) escapes -= 1;
    at = closing + 1;
    if ((closing - escapes) % 2 === 0) return at;
  }
}

function endOfNumber(text: string, start: number): number {
  let end = start;
  while (isPartOfNumber(text.charCodeAt(end))) end += 1;
  return end;
}

function isBeyond(literal: string): boolean {
  if (!/^[0-9]+$/.test(literal)) return Number(literal) === Number.POSITIVE_INFINITY;
  const digits = literal.replace(/^0+/, "");
  return digits.length > LARGEST.length || (digits.length === LARGEST.length && digits > LARGEST);
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** Digits, `.`, `e`, `E`, and the signs of an exponent. */
function isPartOfNumber(unit: number): boolean {
  return isDigit(unit) || unit === 0x2e || unit === 0x65 || unit === 0x45 || unit === 0x2b || unit === 0x2d;
}
