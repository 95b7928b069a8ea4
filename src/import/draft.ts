/** One server while it is translated: what has become of each field so far. */
import type { Dialect } from "./dialects.ts";
import type { Plain } from "./read.ts";
import type { Input } from "./roots.ts";
import { translate } from "./variables.ts";

/** What becomes of one field: it stands in our entry under this name, or it is not carried over for this reason, or nobody knows it. */
export type Outcome = { readonly as: string } | { readonly reason: string } | { readonly unknown: true };

export type Kind = "stdio" | "http";

export interface Draft {
  readonly dialect: Dialect;
  readonly kind: Kind | undefined;
  /** Whether the entry says of what type it is. */
  readonly isTyped: boolean;
  /** Our fields. */
  readonly entry: Map<string, Plain>;
  readonly notCarried: { field: string; reason: string }[];
  readonly warnings: string[];
  /** A text in our reference language; undefined when a command would have to be run for it. */
  text(source: string, path: string): string | undefined;
  warn(path: string, message: string): void;
}

export type Handler = (value: Plain, draft: Draft, field: string) => Outcome;

export function newDraft(dialect: Dialect, { kind, isTyped }: Pick<Draft, "kind" | "isTyped">, inputs: ReadonlyMap<string, Input>): Draft {
  const notCarried: Draft["notCarried"] = [];
  const warnings: string[] = [];
  return {
    dialect,
    kind,
    isTyped,
    entry: new Map(),
    notCarried,
    warnings,
    text(source, path) {
      const translated = translate(source, { dialect, inputs });
      if ("runs" in translated) return undefined;
      for (const warning of translated.warnings) warnings.push(`${path}: ${warning}`);
      return translated.text;
    },
    warn: (path, message) => void warnings.push(`${path}: ${message}`),
  };
}

export const RUNS = "a command would have to be run for it, which is not done: write the value, or a reference";

export const UNUSABLE = "the server cannot be used";

export const carried = (as: string): Outcome => ({ as });
export const notCarried = (reason: string): Outcome => ({ reason });
