/** Patterns that an operator, a user or a server supplies: RE2, whose time is linear in the text whatever the pattern is. */

/** Longer ones are not compiled. */
const MAX_PATTERN = 1_000;
const MAX_COMPILED = 10_000;

export interface Pattern {
  /** Whether it occurs anywhere in the text. */
  readonly test: (text: string) => boolean;
  /** Calls back with every part `[start, end)` of the text that it matches, in order; none is empty. */
  readonly each: (text: string, found: (start: number, end: number) => void) => void;
}

/** Loading the engine takes as long as the rest of a start, and most installations have no pattern. */
const engine = () => (require("re2js") as typeof import("re2js")).RE2JS;

const compiled = new Map<string, Pattern | string>();

/** The pattern, or in a few words why it is none. */
export function patternOf(source: string): Pattern | string {
  const before = compiled.get(source);
  if (before !== undefined) return before;
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  const made = compile(source);
  compiled.set(source, made);
  return made;
}

function compile(source: string): Pattern | string {
  if (source === "") return { test: () => true, each: () => undefined };
  if (source.length > MAX_PATTERN) return `is longer than ${MAX_PATTERN} characters`;
  try {
    const pattern = engine().compile(source);
    return {
      test: (text) => pattern.matcher(text).find(),
      each(text, found) {
        const matcher = pattern.matcher(text);
        while (matcher.find()) if (matcher.end() > matcher.start()) found(matcher.start(), matcher.end());
      },
    };
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "cannot be read";
  }
}
