/** A clock that moves only when a test says so. */
import type { Clock } from "../src/runtime/timers.ts";

export interface FakeClock extends Clock {
  /** Moves on, calling back everything that is due on the way, in order. */
  advance(ms: number): Promise<void>;
}

export function fakeClock(start = 1_800_000_000_000): FakeClock {
  let now = start;
  let due: { at: number; callback: () => void }[] = [];
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    now: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback };
      due.push(timer);
      return () => {
        due = due.filter((other) => other !== timer);
      };
    },
    async advance(ms) {
      const end = now + ms;
      await settled();
      for (;;) {
        const next = due.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        due = due.filter((other) => other !== next);
        now = Math.max(now, next.at);
        next.callback();
        await settled();
      }
      now = end;
      await settled();
    },
  };
}
