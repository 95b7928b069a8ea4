/** Notices that nobody uses the daemon any more. */
import { type Clock, systemClock } from "../runtime/timers.ts";

export interface Pulse {
  /** Streams, requests and calls that are open now. */
  readonly open: number;
  /** Requests and streams since the start. */
  readonly served: number;
}

const LONGEST_STEP_MS = 10_000;

/** Calls `onIdle` once, when nothing was open and nothing was asked for `idleMs`. Returns the way to stop watching. */
export function watchIdle(pulse: () => Pulse, idleMs: number, onIdle: () => void, clock: Clock = systemClock): () => void {
  const step = Math.min(Math.max(1, idleMs / 10), LONGEST_STEP_MS);
  let seen = pulse().served;
  let since = clock.now();
  const check = () => {
    const { open, served } = pulse();
    if (open > 0 || served !== seen) since = clock.now();
    seen = served;
    if (clock.now() - since >= idleMs) onIdle();
    else stop = clock.after(step, check);
  };
  let stop = clock.after(step, check);
  return () => stop();
}
