/** Output for people and for programs: lines, JSON documents, colour on a terminal only, no control characters from elsewhere. */
import { replaceHidden, showInvisible } from "../../actors/visible-text.ts";

const ESC = "\u001b";
const isColourful = (): boolean => process.stdout.isTTY === true && (process.env["NO_COLOR"] ?? "") === "";
const paint = (code: number) => (text: string) => (isColourful() ? `${ESC}[${code}m${text}${ESC}[0m` : text);
export const bold = paint(1);
export const dim = paint(2);
export const red = paint(31);

/** Writes a line, or several, to stdout. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** One document, indented. */
export const printJson = (value: unknown): void => print(jsonText(value, 2));
/** JSON in which nothing is hidden: the same value, with escapes for what a terminal would obey and a reader not see. */
export const jsonText = (value: unknown, indent?: number): string =>
  replaceHidden(JSON.stringify(value, null, indent), ({ code }) =>
    String.fromCodePoint(code)
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );

/** Text of others in one line of a terminal. */
export const inline = (text: string): string => showInvisible(text.replace(/\s+/g, (blank) => (/[\r\n\t]/.test(blank) ? " " : blank)));

/** At most `length` characters, the last of them a mark where something is missing. */
export const cut = (text: string, length: number): string =>
  text.length <= length ? text : length < 1 ? "" : `${text.slice(0, length - 1)}…`;

/** Columns of a terminal; elsewhere nothing is cut. */
export const width = (): number => (process.stdout.isTTY === true ? (process.stdout.columns ?? 80) : Number.POSITIVE_INFINITY);
/** Writes lines and waits until they have left: for output that may be larger than memory. */
export const written = (lines: readonly string[]): Promise<void> =>
  new Promise((resolve) => process.stdout.write(`${lines.join("\n")}\n`, () => resolve()));

/** Milliseconds since the epoch as text, in UTC. */
export const time = (at: number): string => new Date(at).toISOString();
