/** A clock for tests that wait. */
import type { Timers } from "../../src/config/watch.ts";

/** A clock that runs only when told. */
export function fakeTimers(): Timers & { advance(ms: number): void; waiting(): number } {
  let now = 0;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => now,
    set(run, ms) {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return timer;
    },
    clear(timer) {
      timers = timers.filter((one) => one !== timer);
    },
    waiting: () => timers.length,
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = timers.filter((timer) => timer.at <= end).toSorted((a, b) => a.at - b.at);
        if (next === undefined) break;
        now = next.at;
        timers = timers.filter((timer) => timer !== next);
        next.run();
      }
      now = end;
    },
  };
}
