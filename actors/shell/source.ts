/** Where a reader stands in a command line, and the bounds of what it reads. */
import type { Dynamic, Pipeline, Redirect, Substitution, Word } from "./syntax.ts";

/** UTF-16 units of a command line. */
export const MAX_LENGTH = 64 * 1024;
/** Groups and substitutions inside of each other. */
export const MAX_DEPTH = 24;
/** Simple commands of a line, those of its substitutions and of inner shells included. */
export const MAX_COMMANDS = 1_000;
/** Words of all of them, each counted for every program that gets it handed on. */
export const MAX_WORDS = 100_000;
/** Redirections of one command. */
export const MAX_REDIRECTS = 32;

/** The line cannot be read, or not in one way only; what is known of it then is not enough to let it pass. Caught by the judge. */
export class Unreadable extends Error {}

export interface HereDoc {
  readonly delimiter: string;
  readonly isQuoted: boolean;
  readonly stripsTabs: boolean;
  readonly fill: (body: Redirect["target"]) => void;
}

/** What has been read so far, shared by everything that is read for the same line. */
export interface Budget {
  commands: number;
  words: number;
}

export interface Source {
  readonly text: string;
  at: number;
  depth: number;
  readonly budget: Budget;
  /** Announced on this line; their text begins behind the next line break. */
  hereDocs: HereDoc[];
  /** Around this substitution somebody waits for such a text, so that a line break would be read in two ways. */
  isAwaited: boolean;
  /** Between `[[` and `]]`. */
  isTest: boolean;
  /** Behind `((`, which is arithmetic to some shells and two groups to others: `<<` and `#` mean another thing there. */
  isArithmetic: boolean;
  /** Reads commands up to a `)`, which it leaves, or to the end of the text. The parser's: the readers of words below it call it. */
  readonly list: (source: Source, isInner: boolean) => readonly Pipeline[];
}

export const sourceOf = (text: string, parent: Pick<Source, "budget" | "list" | "depth">): Source => ({
  text,
  at: 0,
  depth: parent.depth,
  budget: parent.budget,
  hereDocs: [],
  isAwaited: false,
  isTest: false,
  isArithmetic: false,
  list: parent.list,
});

/** Counts one more command of so many words. */
export function spend({ budget }: Pick<Source, "budget">, words: number): void {
  budget.commands += 1;
  budget.words += words;
  if (budget.commands > MAX_COMMANDS) throw new Unreadable("it holds too many commands");
  if (budget.words > MAX_WORDS) throw new Unreadable("it holds too many words");
}

/** `read` one level further in. */
export function deeper<T>(source: Pick<Source, "depth">, read: () => T): T {
  if (source.depth >= MAX_DEPTH) throw new Unreadable("it is nested too deeply");
  source.depth += 1;
  const result = read();
  source.depth -= 1;
  return result;
}

/** A word in the making. */
export interface Draft {
  text: string;
  dynamic: Dynamic;
  readonly substitutions: Substitution[];
}
export const newDraft = (): Draft => ({ text: "", dynamic: "no", substitutions: [] });
export const wordOf = ({ text, dynamic, substitutions }: Draft, more: Partial<Word> = {}): Word => ({
  text,
  dynamic,
  isPattern: false,
  plain: 0,
  substitutions,
  ...more,
});
