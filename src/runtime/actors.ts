/** The actors' states in memory: loaded from snapshot and log when first needed, snapshot now and then, passivated when quiet. */
import { kindOf } from "../../actors/address.ts";
import { type AnyActor, evolve } from "../../actors/define.ts";
import { Denials } from "../../actors/denials.ts";
import { Questions } from "../../actors/questions.ts";
import { Registry } from "../../actors/registry.ts";
import { Server } from "../../actors/server.ts";
import { Session } from "../../actors/session.ts";
import { System } from "../../actors/system.ts";
import { Tasks } from "../../actors/tasks.ts";
import type { EventLog, NewEvent, Snapshot } from "./event-log.ts";
import { pack, unpack } from "./pack.ts";

/** A snapshot each so many own events. */
const SNAPSHOT_EVERY = 1000;

export const actorKinds: Readonly<Record<string, AnyActor>> = {
  registry: Registry,
  server: Server,
  session: Session,
  questions: Questions,
  tasks: Tasks,
  denials: Denials,
  system: System,
};

interface Loaded {
  state: unknown;
  version: number;
  snapshotAt: number;
}
export interface ActorTable {
  actorAt(address: string): AnyActor;
  /** From now on nothing is decided there, nor folded: `actorAt` and `stateOf` throw. Only before the actor was ever used. */
  setAside(address: string): void;
  stateOf(address: string): unknown;
  /** Takes over the states of a turn; returns the snapshots to save once its events are durable. */
  swap(states: ReadonlyMap<string, unknown>, events: readonly NewEvent[]): Snapshot[];
  /** Lets a quiet actor leave memory; false when something of it is still open. Its last event must be durable. */
  passivate(address: string): boolean;
  /** A snapshot of every loaded actor that moved since its last one: at a clean stop. */
  snapshots(): Snapshot[];
  /** Whoever is in memory. */
  addresses(): readonly string[];
  readonly size: number;
}

export function createActors(log: EventLog): ActorTable {
  const loaded = new Map<string, Loaded>();
  const aside = new Set<string>();
  const actorAt = (address: string): AnyActor => {
    if (aside.has(address))
      throw new Error(`${address} was skipped at the start: what it left open must be settled by a later start first`);
    const actor = actorKinds[kindOf(address)];
    if (!actor) throw new Error(`there is no actor at ${address}`);
    return actor;
  };

  /** Only called while nothing of this stream is queued: whatever was decided in this process is still in `loaded`. */
  const load = (address: string): Loaded => {
    const actor = actorAt(address);
    const snapshot = log.snapshot(address);
    const usable = snapshot?.shape === actor.shape ? snapshot : undefined;
    let state = usable ? unpack(usable.state) : actor.initialState;
    let version = usable?.version ?? 0;
    for (const event of log.read(address, version)) {
      state = evolve(actor, state, event);
      version = event.version;
    }
    const entry = { state, version, snapshotAt: usable?.version ?? 0 };
    loaded.set(address, entry);
    return entry;
  };
  const entryOf = (address: string) => loaded.get(address) ?? load(address);
  const snapshotOf = (address: string, entry: Loaded): Snapshot => {
    entry.snapshotAt = entry.version;
    return { stream: address, version: entry.version, shape: actorAt(address).shape, state: pack(entry.state) };
  };

  return {
    actorAt,
    setAside: (address) => void aside.add(address),
    stateOf: (address) => entryOf(address).state,
    swap(states, events) {
      const due: Snapshot[] = [];
      for (const { stream } of events) entryOf(stream).version++;
      for (const [address, state] of states) {
        const entry = entryOf(address);
        entry.state = state;
        if (entry.version - entry.snapshotAt >= SNAPSHOT_EVERY) due.push(snapshotOf(address, entry));
      }
      return due;
    },
    passivate(address) {
      const entry = loaded.get(address);
      if (!entry) return true;
      if (!actorAt(address).isQuiet(entry.state)) return false;
      if (entry.version > entry.snapshotAt) log.saveSnapshot(snapshotOf(address, entry));
      loaded.delete(address);
      return true;
    },
    snapshots: () =>
      [...loaded].filter(([, entry]) => entry.version > entry.snapshotAt).map(([address, entry]) => snapshotOf(address, entry)),
    addresses: () => [...loaded.keys()],
    get size() {
      return loaded.size;
    },
  };
}
