/** What verification can find: thrown where it is found, caught once. */

/** `altered`: something is not as it was written. `cut_short`: the end of the log is missing. `unreadable`: it cannot be judged. */
export type Fault = "altered" | "cut_short" | "unreadable";

export interface Finding extends Error {
  readonly verdict: Fault;
  /** Of the first event concerned. */
  readonly position?: number;
}

export function finding(verdict: Fault, detail: string, position?: number): Finding {
  return Object.assign(new Error(detail), { verdict, ...(position !== undefined && { position }) });
}

/** Anything else that was thrown, above all by SQLite, means that the log cannot be read. */
export function asFinding(error: unknown): Finding {
  if (error instanceof Error && "verdict" in error) return error as Finding;
  return finding("unreadable", error instanceof Error ? error.message : String(error));
}
