/** When and how servers are asked about their tasks: one request after the other to each server, and none that is waited for for ever. */
import { createStop, type StopSignal } from "../mcp/stop.ts";
import type { Clock } from "../runtime/timers.ts";
import { LATE, orLate } from "./or-late.ts";

/** Between two requests about tasks to the same server. */
const GAP_MS = 50;
/** A request about a task that has no answer by then has failed. */
const ANSWER_MS = 30_000;

/** A server's wish, as far as it is granted. */
export const bounded = (ms: number, { pollMinMs, pollMaxMs }: { readonly pollMinMs: number; readonly pollMaxMs: number }): number =>
  Math.round(Math.min(pollMaxMs, Math.max(pollMinMs, ms)));

export interface Pace {
  /** Calls back after `ms`, or as soon as the server may be asked again then; returns the way to stop it. */
  after(server: string, ms: number, ask: () => void): () => void;
}

/** A place in the order of a server is taken when the time has come: whoever is asked for seldom holds up nobody. */
export function createPace(clock: Clock): Pace {
  const free = new Map<string, number>();
  const placeOf = (server: string): number => {
    const now = clock.now();
    const at = Math.max(now, free.get(server) ?? 0);
    for (const [other, from] of free) if (from <= now) free.delete(other);
    free.set(server, at + GAP_MS);
    return at - now;
  };
  return {
    after(server, ms, ask) {
      let disarm = clock.after(ms, () => {
        const wait = placeOf(server);
        if (wait <= 0) ask();
        else disarm = clock.after(wait, ask);
      });
      return () => disarm();
    },
  };
}

/** Undefined when there is no answer in time: the request is then told to stop. */
export async function inTime<T>(clock: Clock, request: (signal: StopSignal) => Promise<T>): Promise<T | undefined> {
  const stop = createStop();
  const answer = await orLate(
    clock,
    ANSWER_MS,
    () => request(stop.signal),
    () => stop.abort("no answer in time"),
  );
  return answer === LATE ? undefined : answer;
}
