/** A command line as it was read: pipelines of commands, words without their quotes, and what stands inside of substitutions. */

/** What a word's value hangs on: nothing but what is written, a variable, or what a command prints. */
export type Dynamic = "no" | "value" | "output";

export interface Word {
  /** Without its quotes; a variable stands as it was written, a substitution as `$()`, `<()` or `>()`. */
  readonly text: string;
  readonly dynamic: Dynamic;
  /** It names files by a pattern, or several words by braces: `r?`, `{rm,-rf}`. */
  readonly isPattern: boolean;
  /** How many characters at its beginning stood without quotes. */
  readonly plain: number;
  readonly substitutions: readonly Substitution[];
}

export interface Substitution {
  /** `$(…)` and backticks, `<(…)`, `>(…)`. */
  readonly kind: "output" | "from" | "into";
  readonly body: readonly Pipeline[];
}

export interface Assignment {
  /** Empty for a value that no variable of a known name gets. */
  readonly name: string;
  readonly value: Word;
}

export interface Redirect {
  /** Without the number in front of it: `>`, `>>`, `<`, `<<`, `<<<`, `&>` … */
  readonly operator: string;
  /** Of a here-document: its text. */
  readonly target: Word;
}

export interface Simple {
  readonly kind: "simple";
  readonly words: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
  /** Inside of `[[ … ]]`, where a word that stands first starts nothing. */
  readonly isTest: boolean;
}

export interface Group {
  readonly kind: "group";
  readonly body: readonly Pipeline[];
  readonly redirects: readonly Redirect[];
  /** Of a function that is being defined. */
  readonly name?: string;
}

export interface Pipeline {
  readonly stages: readonly (Simple | Group)[];
  readonly isBackground: boolean;
}

/** A word that is nothing but this text. */
export const literal = (text: string): Word => ({ text, dynamic: "no", isPattern: false, plain: 0, substitutions: [] });
