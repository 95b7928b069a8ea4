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

/** A longer time-out would overflow and ring at once. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  after(ms, callback) {
    const wait = (left: number): ReturnType<typeof setTimeout> => {
      const timer = setTimeout(() => (left > LONGEST_MS ? again(left - LONGEST_MS) : callback()), Math.min(left, LONGEST_MS));
      timer.unref();
      return timer;
    };
    let current = wait(ms);
    const again = (left: number) => {
      current = wait(left);
    };
    return () => clearTimeout(current);
  },
};

export interface Timers {
  set(timer: Timer): void;
  clear(address: string, key: string): void;
  stop(): void;
}

/** `fire` sends `wake {key}` to the address. A timer that is no longer needed simply finds nothing to do. */
export function createTimers(clock: Clock, fire: (timer: Timer) => void): Timers {
  const pending = new Map<string, Timer>();
  let disarm: (() => void) | undefined;
  let armedFor = Number.POSITIVE_INFINITY;
  const idOf = (address: string, key: string) => `${address}\n${key}`;

  /** Looks at every timer only when one has rung: setting and clearing are constant. */
  const armFor = (at: number) => {
    if (at >= armedFor) return;
    disarm?.();
    armedFor = at;
    disarm = clock.after(Math.min(Math.max(0, at - clock.now()), LONGEST_MS), ring);
  };
  const ring = () => {
    armedFor = Number.POSITIVE_INFINITY;
    disarm = undefined;
    const now = clock.now();
    let earliest = Number.POSITIVE_INFINITY;
    for (const [id, timer] of pending)
      if (timer.at > now) earliest = Math.min(earliest, timer.at);
      else {
        pending.delete(id);
        fire(timer);
      }
    if (earliest < Number.POSITIVE_INFINITY) armFor(earliest);
  };
  return {
    set(timer) {
      pending.set(idOf(timer.address, timer.key), timer);
      armFor(timer.at);
    },
    clear(address, key) {
      pending.delete(idOf(address, key));
    },
    stop() {
      disarm?.();
      pending.clear();
    },
  };
}
