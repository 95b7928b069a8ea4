/** Wake-up calls for actors: one real timer for the earliest of them. The log's `timers` projection brings them back after a restart. */

export interface Timer {
  readonly address: string;
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}
export interface Clock {
  now(): number;
  /** Calls back once after so many milliseconds; returns the way to stop it. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

const LONGEST_MS = 2 ** 31 - 1;

export interface Timers {
  set(timer: Timer): void;
  stop(): void;
}

/** `fire` sends `wake {key}` to the address. A timer that is no longer needed simply finds nothing to do. */
export function createTimers(clock: Clock, fire: (timer: Timer) => void): Timers {
  const pending = new Map<string, Timer>();
  let disarm: (() => void) | undefined;
  let armedFor = Number.POSITIVE_INFINITY;

  const arm = () => {
    let earliest = Number.POSITIVE_INFINITY;
    for (const { at } of pending.values()) earliest = Math.min(earliest, at);
    if (earliest === armedFor) return;
    disarm?.();
    disarm = undefined;
    armedFor = earliest;
    if (earliest === Number.POSITIVE_INFINITY) return;
    disarm = clock.after(Math.min(Math.max(0, earliest - clock.now()), LONGEST_MS), ring);
  };
  const ring = () => {
    armedFor = Number.POSITIVE_INFINITY;
    disarm = undefined;
    const now = clock.now();
    for (const [id, timer] of pending)
      if (timer.at <= now) {
        pending.delete(id);
        fire(timer);
      }
    arm();
  };
  return {
    set(timer) {
      pending.set(`${timer.address}\n${timer.key}`, timer);
      arm();
    },
    stop() {
      disarm?.();
      pending.clear();
    },
  };
}
