/** Looks after one connected server: whether its lists are too old, and over HTTP whether it is still there. */
import type { CallReply, Downstream } from "../mcp/downstream/downstream.ts";
import type { Clock } from "../runtime/timers.ts";
import type { SurfaceReader } from "./surface.ts";

export interface HealthPorts {
  readonly clock: Clock;
  readonly settings: () => { readonly sweepSeconds: number; readonly surfaceRefreshSeconds: number };
  /** The server did not take a request; `toDo` is what a person has to do before it does. */
  readonly onGone: (toDo?: string) => void;
}
export interface HealthWatch {
  /** The settings may have changed. */
  retime(): void;
  stop(): void;
}

const SECOND_MS = 1000;

/** Why nobody can be reached over this connection any more: what a person has to do first, or nothing that is known. Undefined: somebody took it. */
export function notTaken(outcome: CallReply): { readonly toDo?: string } | undefined {
  if (outcome.kind !== "not_sent" || outcome.status !== undefined) return undefined;
  return outcome.authorization ? { toDo: outcome.reason } : {};
}

/** A child process is known to be there as long as it has not ended; an HTTP server is asked between two readings of its lists. */
export function watchHealth({ pid, introduction, request }: Downstream, surface: SurfaceReader, ports: HealthPorts): HealthWatch {
  const { clock, settings } = ports;
  let disarm: (() => void) | undefined;
  let isAsking = false;
  let isStopped = false;

  const ask = async () => {
    if (pid !== undefined || isAsking) return;
    isAsking = true;
    const outcome = await request({ method: introduction.era === "modern" ? "server/discover" : "ping", params: {} });
    isAsking = false;
    const gone = notTaken(outcome);
    if (gone && !isStopped) ports.onGone(gone.toDo);
  };
  const look = (everyMs: number) => {
    const refreshMs = settings().surfaceRefreshSeconds * SECOND_MS;
    const isOld = refreshMs > 0 && clock.now() - (surface.checkedAt ?? 0) > refreshMs - everyMs / 2;
    if (isOld) surface.read().catch(ask);
    else void ask();
    arm();
  };
  const arm = () => {
    const { sweepSeconds, surfaceRefreshSeconds } = settings();
    const everyMs = Math.min(...[sweepSeconds, surfaceRefreshSeconds].filter((seconds) => seconds > 0)) * SECOND_MS;
    disarm = Number.isFinite(everyMs) ? clock.after(everyMs, () => look(everyMs)) : undefined;
  };
  arm();
  return {
    retime() {
      disarm?.();
      arm();
    },
    stop() {
      isStopped = true;
      disarm?.();
    },
  };
}
