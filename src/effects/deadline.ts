/** A deadline that can be put off, up to a bound. It counts time as it passes: a wall clock that is set anew changes nothing. */
import type { Clock } from "../runtime/timers.ts";

export interface Deadline {
  /** So much time from now on, as far as the bound allows; nothing once it is over. */
  putOff(ms: number): void;
  /** No time passes until the given-back function is called, and then it has so much. */
  pause(ms: number): () => void;
  readonly wasPutOff: boolean;
  /** It is over: it has passed, or nobody waits for it any more. */
  readonly isOver: boolean;
  stop(): void;
}

/** Calls back once, after `ms` or as long as it was put off, at the latest after `boundMs` if that is given. */
export function createDeadline(clock: Clock, ms: number, boundMs: number | undefined, onPassed: () => void): Deadline {
  let isOver = false;
  let pauses = 0;
  let wasPutOff = false;
  const stop = () => {
    isOver = true;
    disarm();
    disarmBound?.();
  };
  const pass = () => {
    stop();
    onPassed();
  };
  let disarm = clock.after(ms, pass);
  let disarmBound = boundMs === undefined ? undefined : clock.after(boundMs, pass);
  return {
    putOff(longer) {
      if (isOver || pauses > 0) return;
      wasPutOff = true;
      disarm();
      disarm = clock.after(longer, pass);
    },
    pause(ms) {
      if (isOver) return () => undefined;
      pauses++;
      disarm();
      disarmBound?.();
      return () => {
        pauses--;
        if (isOver || pauses > 0) return;
        wasPutOff = true;
        disarm = clock.after(ms, pass);
        disarmBound = boundMs === undefined ? undefined : clock.after(boundMs, pass);
      };
    },
    get wasPutOff() {
      return wasPutOff;
    },
    get isOver() {
      return isOver;
    },
    stop,
  };
}
