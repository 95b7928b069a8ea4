/** Tasks that are over for us while their servers may still be at work: each is told to stop as soon as it is there, also by the next process. */
import { type Catalogue, isAt, serverOf } from "../../actors/catalogue.ts";
import type { TaskRequests } from "../mcp/downstream/downstream.ts";
import type { Clock } from "../runtime/timers.ts";
import type { Kept, KeptTask } from "./kept.ts";
import { inTime } from "./task-polls.ts";

export interface Stops {
  /** What is sealed of the task goes when its server was told, or cannot be told any more. */
  stop(id: string): void;
  has(id: string): boolean;
}
export interface StopPorts {
  readonly clock: Clock;
  readonly catalogue: () => Catalogue;
  readonly kept: Kept<KeptTask>;
  /** The connection there is under this name, and to which place; `requests` while it is connected. */
  readonly connectionOf: (
    server: string,
  ) => { readonly isAt: (place: string) => boolean; readonly requests: TaskRequests | undefined } | undefined;
}

const LOOK_MS = 1000;
/** A server that is away for longer has most likely forgotten it. */
const PATIENCE_MS = 3_600_000;

export function createStops({ clock, catalogue, kept, connectionOf }: StopPorts): Stops {
  const stopping = new Set<string>();
  const over = (id: string) => {
    stopping.delete(id);
    kept.drop(id);
  };
  return {
    stop(id) {
      const known = kept.get(id);
      if (!known) return kept.drop(id);
      if (stopping.has(id)) return;
      stopping.add(id);
      const { server } = known.call;
      const until = clock.now() + PATIENCE_MS;
      const tell = (requests: TaskRequests) =>
        inTime(clock, (signal) => requests.cancel(known, signal))
          .catch(() => undefined) // nobody waits for what it says
          .finally(() => over(id));
      const look = (): void => {
        const { serverId: place = "" } = known;
        const connection = connectionOf(server);
        // One that was just removed still has its connection. Another one under its name has no business with the id.
        if (connection?.requests && connection.isAt(place)) void tell(connection.requests);
        else if (!isAt(serverOf(catalogue(), server), place) || clock.now() >= until) over(id);
        else clock.after(LOOK_MS, look);
      };
      look();
    },
    has: (id) => stopping.has(id),
  };
}
