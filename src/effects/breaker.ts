/** Keeps a check that fails again and again from holding every call up: after some failures in a minute it is not asked for a minute, then tried once. */
import type { Clock } from "../runtime/timers.ts";

export interface Breaker {
  /** False: it is not to be asked now. Whoever hears true reports with `succeeded`, `failed` or `left`. */
  mayAsk(name: string): boolean;
  succeeded(name: string): void;
  failed(name: string): void;
  /** Nothing is known of it: nobody waited for the end. */
  left(name: string): void;
}

const FAILURES = 5;
const WINDOW_MS = 60_000;

interface State {
  /** When it failed, oldest first. */
  readonly failures: readonly number[];
  readonly trippedAt?: number;
  /** Somebody tries it after a pause. */
  readonly isTried?: boolean;
}
const SOUND: State = { failures: [] };

export function createBreaker({ now }: Pick<Clock, "now">): Breaker {
  const states = new Map<string, State>();
  const of = (name: string) => states.get(name) ?? SOUND;
  return {
    mayAsk(name) {
      const { failures, trippedAt, isTried } = of(name);
      if (trippedAt === undefined) return true;
      if (isTried || now() - trippedAt < WINDOW_MS) return false;
      states.set(name, { failures, trippedAt, isTried: true });
      return true;
    },
    succeeded(name) {
      if (of(name).trippedAt !== undefined) states.delete(name);
    },
    failed(name) {
      const { failures, trippedAt } = of(name);
      const counting = [...failures.filter((at) => now() - at < WINDOW_MS), now()];
      const isTripped = trippedAt !== undefined || counting.length >= FAILURES;
      states.set(name, { failures: counting, ...(isTripped && { trippedAt: now() }) });
    },
    left(name) {
      const { isTried: _, ...state } = of(name);
      if (states.has(name)) states.set(name, state);
    },
  };
}
