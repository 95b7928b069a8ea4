/** When a server that is not connected is tried again: a few times with growing pauses, then at one sweep after the other, for ever. */
import type { Clock } from "../runtime/timers.ts";

/** As in `bridge` of the configuration. */
export interface ConnectionSettings {
  readonly connectRetryCount: number;
  readonly connectRetryBaseDelayMs: number;
  readonly sweepSeconds: number;
  readonly surfaceRefreshSeconds: number;
}
export interface PacePorts {
  readonly clock: Clock;
  /** 0 … 1, for the jitter of the pauses. */
  readonly random: () => number;
  /** In force now. */
  readonly settings: () => ConnectionSettings;
  readonly attempt: () => void;
  /** The attempts are used up, or of no use: nothing happens before the next sweep. */
  readonly onRest: () => void;
}
export interface Pace {
  /** Makes an attempt now, instead of the one that was to come. */
  now(): void;
  /** An attempt failed: arranges the next one. */
  failed(): void;
  /** An attempt failed, and so would the next: arranges none before the next sweep. */
  giveUp(): void;
  /** A connection that was good is lost: the full number of attempts again, after a pause. */
  lost(): void;
  /** The settings may have changed. */
  retime(): void;
  stop(): void;
}

const LONGEST_PAUSE_MS = 60_000;

export function createPace({ clock, random, settings, attempt, onRest }: PacePorts): Pace {
  let further = settings().connectRetryCount;
  let failures = 0;
  let isResting = false;
  let disarm: (() => void) | undefined;

  const now = () => {
    disarm?.();
    isResting = false;
    attempt();
  };
  const startOver = (attempts: number) => {
    further = attempts;
    failures = 0;
  };
  const rest = () => {
    isResting = true;
    const { sweepSeconds, connectRetryCount } = settings();
    if (sweepSeconds === 0) return;
    disarm = clock.after(sweepSeconds * 1000, () => {
      startOver(connectRetryCount);
      now();
    });
  };
  const giveUp = () => {
    onRest();
    rest();
  };
  const failed = () => {
    if (further === 0) return giveUp();
    further--;
    const full = Math.min(settings().connectRetryBaseDelayMs * 2 ** failures++, LONGEST_PAUSE_MS);
    disarm = clock.after(full * (0.5 + random() / 2), now);
  };
  return {
    now,
    failed,
    giveUp,
    lost() {
      startOver(settings().connectRetryCount + 1);
      failed();
    },
    retime() {
      if (!isResting) return;
      disarm?.();
      rest();
    },
    stop: () => disarm?.(),
  };
}
