/** Deciding every recorded turn again, purely, in one pass over all actors: the events must follow from their inputs. */

import { kindOf } from "../../actors/address.ts";
import { type AnyActor, evolve } from "../../actors/define.ts";
import type { Envelope } from "../../events/envelope.ts";
import type { Reader } from "../log/reader.ts";
import { canonicalize } from "../observe/canonical.ts";
import { actorKinds } from "../runtime/actors.ts";
import type { NewEvent } from "../runtime/event-log.ts";
import { settle } from "../runtime/settle.ts";
import { BUILD } from "../version.ts";
import { commandOf, recordedTurns, type TurnRow } from "./turns.ts";

export interface Mismatch {
  readonly turn: number;
  /** Of the first event that does not follow; of the turn's last one when events are missing. */
  readonly position: number;
  readonly stream: string;
  /** One sentence for people. */
  readonly detail: string;
}
export interface DeepVerification {
  /** Recorded turns. */
  readonly turns: number;
  /** Turns of this build, which were decided again. */
  readonly redecided: number;
  /** Turns of other builds: other rules may have held, they were only folded. */
  readonly skipped: readonly { readonly build: string; readonly version: string; readonly turns: number }[];
  /** At most `MAX_MISMATCHES`, in the order of the log. */
  readonly mismatches: readonly Mismatch[];
}

export const MAX_MISMATCHES = 100;

/** Folds the recorded events, never its own, so that one mismatch does not bring others. `build`: whose turns are decided again. */
export function verifyDeep(reader: Reader, build = BUILD): DeepVerification {
  const states = new Map<string, unknown>();
  const actors = { actorAt, stateOf: (address: string) => (states.has(address) ? states.get(address) : actorAt(address).initialState) };
  const skipped = new Map<string, { build: string; version: string; turns: number }>();
  const mismatches: Mismatch[] = [];
  let turns = 0;
  let redecided = 0;
  for (const { row, events } of recordedTurns(reader)) {
    turns++;
    if (row.build === build) {
      redecided++;
      const mismatch = compare(row, events, actors);
      if (mismatch && mismatches.length < MAX_MISMATCHES) mismatches.push(mismatch);
    } else {
      const key = `${row.build}\n${row.version}`;
      const those = skipped.get(key) ?? { build: row.build, version: row.version, turns: 0 };
      skipped.set(key, { ...those, turns: those.turns + 1 });
    }
    for (const event of events) states.set(event.stream, evolve(actors.actorAt(event.stream), actors.stateOf(event.stream), event));
  }
  return { turns, redecided, skipped: [...skipped.values()], mismatches };
}

function actorAt(address: string): AnyActor {
  const kind = kindOf(address);
  const actor = Object.hasOwn(actorKinds, kind) ? actorKinds[kind] : undefined;
  if (!actor) throw new Error(`there is no actor at ${address}`);
  return actor;
}

function compare(row: TurnRow, stored: readonly Envelope[], actors: Parameters<typeof settle>[0]): Mismatch | undefined {
  const { turn, at, to } = row;
  const mismatch = (event: Envelope | undefined, detail: string): Mismatch => ({
    turn,
    position: (event ?? stored.at(-1))?.position ?? 0,
    stream: (event ?? stored.at(-1))?.stream ?? to,
    detail,
  });
  let decided: readonly NewEvent[];
  try {
    decided = settle(actors, { to, command: commandOf(row, stored), now: at, id: idsOf(row) }).events;
  } catch (error) {
    return mismatch(stored[0], `deciding it again failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  for (const [index, event] of stored.entries()) {
    const again = decided[index];
    if (again === undefined) return mismatch(event, `${event.type} was recorded, but does not follow from the input`);
    if (again.type !== event.type || again.stream !== event.stream)
      return mismatch(event, `${event.type} was recorded, but ${again.type} of ${again.stream} follows from the input`);
    const field = differingField(event.data, again.data);
    if (field !== undefined) return mismatch(event, `${event.type} was recorded with another ${field} than follows from the input`);
  }
  const more = decided[stored.length];
  return more && mismatch(undefined, `${more.type} of ${more.stream} follows from the input, but was not recorded`);
}

/** Ids count on from those that the maker of the input drew in the same turn. */
function idsOf({ turn, command }: TurnRow): (prefix: string) => string {
  const own = turn.toString(36);
  let next = 0;
  for (const [, count = "0"] of command.matchAll(new RegExp(`_${own}-([0-9a-z]+)"`, "g")))
    next = Math.max(next, Number.parseInt(count, 36) + 1);
  return (prefix) => `${prefix}_${own}-${(next++).toString(36)}`;
}

/** The first key whose values differ. */
function differingField(one: object, other: object): string | undefined {
  const [a, b] = [one, other] as readonly Readonly<Record<string, unknown>>[];
  const text = (value: unknown) => (value === undefined ? "" : canonicalize(value, "escape"));
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].find((key) => text(a?.[key]) !== text(b?.[key]));
}
