/** How long something is left alone after it was tried: longer each time, until it has been left alone for long. */

export interface Pauses {
  /** When it may be tried next, in milliseconds since the epoch. */
  until(key: string): number;
  tried(key: string, now: number): void;
  /** Only these are remembered. */
  keep(keys: ReadonlySet<string>): void;
  clear(): void;
}

const FIRST_MS = 30_000;
const LONGEST_MS = 3_600_000;
/** After so long without another try the next pause is the first again. */
const FORGOTTEN_MS = 3_600_000;

export function createPauses(): Pauses {
  const pauses = new Map<string, { readonly until: number; readonly ms: number }>();
  return {
    until: (key) => pauses.get(key)?.until ?? 0,
    tried(key, now) {
      const before = pauses.get(key);
      const ms = before && now < before.until + FORGOTTEN_MS ? Math.min(before.ms * 2, LONGEST_MS) : FIRST_MS;
      pauses.set(key, { until: now + ms, ms });
    },
    keep(keys) {
      for (const key of pauses.keys()) if (!keys.has(key)) pauses.delete(key);
    },
    clear: () => pauses.clear(),
  };
}
