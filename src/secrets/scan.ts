/** One pass over a text: what scanners share while it goes on. */

/** A scanner looks at one place, tells what is to be hidden, and returns where the pass goes on: never in front of that place. */
export interface Scan {
  readonly text: string;
  /** Takes `[start, end)` in UTF-16 units, and returns `end`. */
  readonly found: (start: number, end: number, family: string) => number;
  /** How far is known what stands there, so that no part is read again and again: no token of three parts begins … */
  jwt: number;
  /** … one bare value goes on … */
  bare: number;
  /** … one header goes on. */
  header: number;
  /** A Kubernetes Secret may be written in it. */
  manifest: boolean;
}

export function scanOf(text: string, found: Scan["found"]): Scan {
  return { text, found, jwt: 0, bare: 0, header: 0, manifest: false };
}
