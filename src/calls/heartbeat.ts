/** Keeps a client that asked for progress from giving up: what is reported goes on in rising numbers, and when nothing was for a while, a sign of life does. */
import type { Clock } from "../runtime/timers.ts";
import type { Ask } from "./ask.ts";
import type { Progress } from "./open-calls.ts";

export interface HeartbeatPorts {
  readonly clock: Clock;
  /** A client hears something at least so often. */
  readonly heartbeatMs: () => number;
}

/** So little that the numbers of a server stay what they are to the eye. */
const STEP = 1e-6;
const RELATIVE_STEP = 2 ** -50;

/** Asks as before, and reports from the admission to the answer: also while the call waits for a server. */
export function withHeartbeats(ask: Ask, ports: HeartbeatPorts): Ask {
  return async (question) => {
    if (!question.onProgress) return ask(question);
    const relay = relayProgress(question.onProgress, ports);
    try {
      return await ask({ ...question, onProgress: relay.report });
    } finally {
      relay.stop();
    }
  };
}

export interface ProgressRelay {
  report(progress: Progress): void;
  /** Nothing is sent afterwards. */
  stop(): void;
}

export function relayProgress(send: (progress: Progress) => void, { clock, heartbeatMs }: HeartbeatPorts): ProgressRelay {
  let last: number | undefined;
  let disarm: (() => void) | undefined;
  let isOver = false;

  const rearm = () => {
    disarm?.();
    disarm = clock.after(heartbeatMs(), () => report({ progress: above(last) }));
  };
  const report = ({ progress, ...rest }: Progress) => {
    if (isOver) return;
    rearm();
    const rising = last === undefined || progress > last ? progress : above(last);
    if (!Number.isFinite(rising)) return; // JSON has no word for it
    last = rising;
    send({ ...rest, progress: rising });
  };

  rearm();
  return {
    report,
    stop() {
      isOver = true;
      disarm?.();
    },
  };
}

const above = (last: number | undefined): number => (last === undefined ? 0 : last + Math.max(STEP, Math.abs(last) * RELATIVE_STEP));
