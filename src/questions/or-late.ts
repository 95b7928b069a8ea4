/** Waiting for an answer, but not for ever. */
import type { Clock } from "../runtime/timers.ts";

export const LATE = "late";

/** What `request` comes to; `"late"` when that takes more than `ms`: it is then told to `stop`, and what it comes to is not waited for. */
export async function orLate<T>(clock: Clock, ms: number, request: () => Promise<T>, stop: () => void): Promise<T | typeof LATE> {
  const late = Promise.withResolvers<typeof LATE>();
  const disarm = clock.after(ms, () => {
    late.resolve(LATE);
    stop();
  });
  try {
    return await Promise.race([request(), late.promise]);
  } finally {
    disarm();
  }
}
