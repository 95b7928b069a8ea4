/** How often one token may come in: so many requests a minute, with a few at once. */

/** So many requests may come at once after a silence. */
const BURST = 5;
const MINUTE_MS = 60_000;

interface Bucket {
  /** Requests that may come now; parts of one as well. */
  left: number;
  /** Milliseconds since the epoch. */
  at: number;
}

/** How long (milliseconds, at least 1) whoever it is has to wait for this request; undefined: it may come in, and is counted. */
export type RequestRate = (who: string, perMinute: number) => number | undefined;

/** `now` in milliseconds since the epoch. A rate of 0 or less counts nothing. */
export function createRequestRate(now: () => number): RequestRate {
  const buckets = new Map<string, Bucket>();
  return (who, perMinute) => {
    if (perMinute <= 0) {
      buckets.delete(who);
      return undefined;
    }
    const at = now();
    const bucket = buckets.get(who) ?? { left: BURST, at };
    const gained = (Math.max(0, at - bucket.at) * perMinute) / MINUTE_MS;
    const left = Math.min(BURST, bucket.left + gained);
    const isLetIn = left >= 1 - 1e-9; // what a minute brings in parts has to add up
    buckets.set(who, { left: isLetIn ? Math.max(0, left - 1) : left, at });
    return isLetIn ? undefined : Math.max(1, Math.ceil(((1 - left) * MINUTE_MS) / perMinute));
  };
}
