/** The state of any actor at any point of history, folded from its stream: what `replay` and the debug door show. */
import { setImmediate as breathe } from "node:timers/promises";
import { kindOf } from "../../actors/address.ts";
import { evolve } from "../../actors/define.ts";
import type { Reader } from "../log/reader.ts";
import { actorKinds } from "../runtime/actors.ts";
import { unpack } from "../runtime/pack.ts";

/** A point of history: after this position, or after the last turn that is not later than this time (milliseconds since the epoch). */
export type Point = { readonly position: number } | { readonly time: number };

export interface StateAt {
  /** As JSON: maps are objects. */
  readonly state: unknown;
  /** How many events of the stream it holds; 0 is the initial state. */
  readonly version: number;
  /** The point itself. */
  readonly position: number;
}

/** The event loop gets a turn after so many events: a long stream must not hold up calls. */
const BREATH = 2000;

/** The last position that is not later than `time`; 0 before the first event. Times never run backwards in a log. */
export function positionAt(reader: Pick<Reader, "query" | "head">, time: number): number {
  let low = 0;
  let high = reader.head.position;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const at = reader.query<{ at: number }>("select at from events where position = ?", middle)[0]?.at ?? Number.POSITIVE_INFINITY;
    if (at <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Folds from the newest usable snapshot that is not beyond the point, else from the beginning. Throws when no actor lives at `stream`. */
export async function stateAt(reader: Reader, stream: string, at: Point): Promise<StateAt> {
  const kind = kindOf(stream);
  const actor = Object.hasOwn(actorKinds, kind) ? actorKinds[kind] : undefined;
  if (!actor)
    throw new Error(
      `no actor lives at ${stream}: a stream is one of ${Object.keys(actorKinds).join(", ")}, with /NAME where there are several`,
    );
  const position = "position" in at ? Math.min(at.position, reader.head.position) : positionAt(reader, at.time);
  const snapshot = reader.snapshot(stream);
  const usable = snapshot?.shape === actor.shape && positionOf(reader, stream, snapshot.version) <= position ? snapshot : undefined;
  let state: unknown = usable ? unpack(usable.state) : actor.initialState;
  let version = usable?.version ?? 0;
  let folded = 0;
  for (const event of reader.read(stream, version)) {
    if (event.position > position) break;
    state = evolve(actor, state, event);
    version = event.version;
    if (++folded % BREATH === 0) await breathe();
  }
  return { state: plain(state), version, position };
}

/** Of one event of a stream; beyond everything when it is not stored yet. */
const positionOf = (reader: Reader, stream: string, version: number): number =>
  reader.query<{ position: number }>(
    "select position from events where stream = (select id from names where name = ?) and version = ?",
    stream,
    version,
  )[0]?.position ?? Number.POSITIVE_INFINITY;

function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, entry]) => [String(key), plain(entry)]));
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, plain(entry)]));
}
