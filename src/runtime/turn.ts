/** Runs one turn at a time: every pure consequence of one command, committed as one batch. Effects leave only after the commit. */
import { REGISTRY, SYSTEM } from "../../actors/address.ts";
import type { Catalogue } from "../../actors/catalogue.ts";
import { durabilityOf } from "../../events/envelope.ts";
import { type ActorTable, createActors } from "./actors.ts";
import type { Batch, Command, EventLog, NewEvent } from "./event-log.ts";
import { type Effect, settle } from "./settle.ts";

export interface RuntimePorts {
  readonly log: EventLog;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Starts an effect. Never throws; what comes of it enters as a command. */
  readonly perform: (effect: Effect, from: string) => void;
  /** Told of every batch once it is durable. */
  readonly onCommitted?: (batch: Batch) => void;
  /** A named step at which crash tests end the process. */
  readonly failpoint?: (step: "before_append") => void;
  /** Told of every turn that threw: a defect of ours. */
  readonly onTurnFailed?: (to: string, error: unknown) => void;
}

/** What the maker of a command may use: the turn's own time and ids. */
export interface Entering {
  readonly now: number;
  readonly id: (prefix: string) => string;
}

export interface Runtime {
  /** Makes a command inside a new turn and runs it. Resolves when everything is durable and the effects have been started; rejects (nothing recorded) when the turn threw. */
  enter(to: string, command: Command | ((entering: Entering) => Command)): Promise<void>;
  /** The time that the next turn would have: never before the last one's. */
  now(): number;
  /** The state after the last turn, durable or not: for decisions about to be made, never for showing. */
  stateOf(address: string): unknown;
  /** What the registry has durably published. */
  catalogue(): Catalogue;
  readonly actors: ActorTable;
}

export function createRuntime({ log, now, perform, failpoint, onCommitted, onTurnFailed }: RuntimePorts): Runtime {
  const actors = createActors(log);
  let lastTurn = log.head.turn;
  let lastNow = log.head.at;
  let published = actors.stateOf(REGISTRY) as Catalogue;

  /** What follows a commit cannot take it back: a defect there is told, and the rest goes on. */
  const started = (of: string, start: () => void) => {
    try {
      start();
    } catch (error) {
      onTurnFailed?.(of, error);
    }
  };

  async function enter(to: string, make: Command | ((entering: Entering) => Command)): Promise<void> {
    const turn = Math.max(lastTurn, log.head.turn) + 1; // an erasure is a turn of the log itself
    const at = Math.max(now(), lastNow);
    let ids = 0;
    const id = (prefix: string) => `${prefix}_${turn.toString(36)}-${(ids++).toString(36)}`;
    const command = typeof make === "function" ? make({ now: at, id }) : make;
    let settled: ReturnType<typeof settle>;
    try {
      settled = settle(actors, { to, command, now: at, id });
    } catch (error) {
      onTurnFailed?.(to, error);
      if (to !== SYSTEM) await enter(SYSTEM, { type: "fail", to, command: command.type, error: describe(error) });
      throw error;
    }
    const { events, effects, states } = settled;
    if (events.length > 0) {
      lastTurn = turn;
      lastNow = at;
      const due = actors.swap(states, events);
      const durability = events.some((event: NewEvent) => durabilityOf(event) === "full") ? "full" : "normal";
      failpoint?.("before_append");
      const batch: Batch = { turn, at, to, command, events, durability };
      await log.append(batch);
      started(to, () => onCommitted?.(batch));
      if (states.has(REGISTRY)) published = states.get(REGISTRY) as Catalogue;
      for (const snapshot of due) log.saveSnapshot(snapshot);
    }
    for (const { effect, from } of effects) started(from, () => perform(effect, from));
  }

  return { enter, now: () => Math.max(now(), lastNow), stateOf: (address) => actors.stateOf(address), catalogue: () => published, actors };
}

/** A defect's own words: our code's messages name types and addresses, never values. */
const describe = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : "unknown").slice(0, 500);
