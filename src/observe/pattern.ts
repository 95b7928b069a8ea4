/** Patterns that an operator, a user or a server supplies: RE2, whose time is linear in the text whatever the pattern is. */

/** Longer ones are not compiled. */
const MAX_PATTERN = 1_000;

export interface Pattern {
  /** Whether it occurs anywhere in the text. */
  readonly test: (text: string) => boolean;
}

/** Loading the engine takes as long as the rest of a start, and most installations have no pattern. */
const engine = () => (require("re2js") as typeof import("re2js")).RE2JS;

/** The pattern, or in a few words why it is none. */
export function patternOf(source: string): Pattern | string {
  if (source === "") return { test: () => true };
  if (source.length > MAX_PATTERN) return `is longer than ${MAX_PATTERN} characters`;
  try {
    const compiled = engine().compile(source);
    return { test: (text) => compiled.matcher(text).find() };
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "cannot be read";
  }
}
