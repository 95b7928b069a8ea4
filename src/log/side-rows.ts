/** Snapshots and definitions: written with the next commit that has events, so that a lost tail of the log is never theirs alone. */
import type { Snapshot } from "../runtime/event-log.ts";
import { snapshotHash } from "./hash.ts";
import type { Statements } from "./statements.ts";

export interface SideRows {
  snapshot(stream: string): Snapshot | undefined;
  /** `position`: of the newest event encoded; the snapshot is not stored before it. */
  saveSnapshot(snapshot: Snapshot, position: number): void;
  dropSnapshot(stream: string): void;
  definition(hash: string): string | undefined;
  define(hash: string, json: string): void;
  /** Write what may be stored with or after `position`, inside a transaction. May run twice if that is repeated. */
  write(position: number): void;
  /** The transaction of `write(position)` is committed. */
  written(position: number): void;
  readonly waiting: boolean;
}

interface WaitingSnapshot extends Omit<Snapshot, "state"> {
  readonly state: string;
  readonly position: number;
}

export function sideRows(tx: Statements): SideRows {
  const snapshots = new Map<string, WaitingSnapshot>();
  const definitions = new Map<string, string>();
  return {
    snapshot(stream) {
      const waiting = snapshots.get(stream);
      return waiting && { stream, version: waiting.version, shape: waiting.shape, state: JSON.parse(waiting.state) };
    },
    saveSnapshot({ stream, version, shape, state }, position) {
      snapshots.set(stream, { stream, version, shape, state: JSON.stringify(state), position });
    },
    dropSnapshot: (stream) => void snapshots.delete(stream),
    definition: (hash) => definitions.get(hash),
    define: (hash, json) => void definitions.set(hash, json),
    write(position) {
      for (const { stream, version, shape, state, position: from } of snapshots.values()) {
        if (from > position) continue;
        const hash = Buffer.from(snapshotHash(stream, version, shape, state), "hex");
        tx.run(
          "insert or replace into snapshots (stream, version, shape, state, hash) select id, ?, ?, ?, ? from names where name = ?",
          version,
          shape,
          state,
          hash,
          stream,
        );
      }
      for (const [hash, json] of definitions) tx.run("insert or ignore into definitions (hash, json) values (?, ?)", hash, json);
    },
    written(position) {
      for (const [stream, { position: from }] of snapshots) if (from <= position) snapshots.delete(stream);
      definitions.clear();
    },
    get waiting() {
      return snapshots.size + definitions.size > 0;
    },
  };
}
