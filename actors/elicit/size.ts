/** The size of a value as JSON, without writing it. */

const encoder = new TextEncoder();
const BRACKETS = 2;
const COLON_OR_COMMA = 1;

/** Whether its JSON has more bytes than `most`. Looks at no more of it than that; any depth will do. */
export function jsonExceeds(value: unknown, most: number): boolean {
  let bytes = 0;
  const open: unknown[] = [value];
  for (let next = open.pop(); bytes <= most; next = open.pop()) {
    if (typeof next === "object" && next !== null) {
      const keys = Array.isArray(next) ? [] : Object.keys(next);
      const members: readonly unknown[] = Object.values(next);
      bytes += BRACKETS + Math.max(0, members.length - 1) * COLON_OR_COMMA;
      for (const key of keys) if (bytes <= most) bytes += textBytes(key, most) + COLON_OR_COMMA;
      if (bytes <= most) for (const member of members) open.push(member);
    } else bytes += typeof next === "string" ? textBytes(next, most) : String(next).length;
    if (open.length === 0) break;
  }
  return bytes > most;
}

/** In quotes. A text that is longer than `most` is not looked through. */
const textBytes = (text: string, most: number): number => (text.length > most ? text.length : encoder.encode(JSON.stringify(text)).length);
