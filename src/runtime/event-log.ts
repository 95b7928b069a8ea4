/** What the runtime needs of a log. Small on purpose: one transaction gives the atomic turn, unique (stream, version) the expected-version append. */
import type { Event } from "../../events/define.ts";
import type { Durability, Envelope } from "../../events/envelope.ts";

/** A decided event that is about to be stored. Its call id, if any, is `data.call`. */
export type NewEvent = Event & { readonly stream: string };

/** A request to one actor. `payload` holds its free values and is stored only by reference to the event that carries the same object. */
export interface Command {
  readonly type: string;
  readonly payload?: unknown;
  readonly [field: string]: unknown;
}

/** One turn: its input and everything that followed from it. Committed as a whole or not at all. */
export interface Batch {
  readonly turn: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly to: string;
  readonly command: Command;
  readonly events: readonly NewEvent[];
  readonly durability: Durability;
}

/** A state as it was after `version` events of its stream. Ignored when `shape` is not the actor's own. */
export interface Snapshot {
  readonly stream: string;
  readonly version: number;
  readonly shape: number;
  readonly state: unknown;
}

export interface Head {
  readonly position: number;
  readonly turn: number;
  /** Milliseconds since the epoch of the last turn: `now` never runs backwards. */
  readonly at: number;
  /** Hex. */
  readonly hash: string;
}

export interface EventLog {
  /** Resolves when the batch is as durable as it asks for. On any failure the log ends the process (see its `onFailure`), it never rejects into a caller that might go on. */
  append(batch: Batch): Promise<void>;
  /** The stored events of one stream with version > `after`, oldest first, decoded and upcast. */
  read(stream: string, after?: number): Iterable<Envelope>;
  snapshot(stream: string): Snapshot | undefined;
  saveSnapshot(snapshot: Snapshot): void;
  /** The last committed row. */
  readonly head: Head;
}
