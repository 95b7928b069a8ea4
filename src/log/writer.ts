/** Group commit: turns that queue while one commit waits for the disk share the next one. No timer, one connection, one thread. */
import type { Database } from "bun:sqlite";
import type { Envelope } from "../../events/envelope.ts";
import { belongsInFile, insertBlob, writeBlobFile } from "./blobs.ts";
import type { Encoded } from "./encode.ts";
import { type Projection, project } from "./projection.ts";
import { pragma, type Statements } from "./statements.ts";

/** More turns than this in one transaction only make the first of them wait. */
export const GROUP_LIMIT = 256;

export interface WriterParts {
  readonly db: Database;
  readonly tx: Statements;
  readonly projections: readonly Projection[];
  readonly build: { readonly build: string; readonly version: string };
  /** Undefined for a log in memory. */
  readonly folder: string | undefined;
  readonly failpoint: (name: string) => void;
}

export interface Writer {
  /** One transaction: all rows of the group, then those that `beside` writes. Throws with nothing written. `group` is not empty. */
  commit(group: readonly Encoded[], beside: (position: number) => void): void;
}

export function writerOf({ db, tx, projections, build, folder, failpoint }: WriterParts): Writer {
  let full: boolean | undefined;
  let buildId: number | undefined;

  /** The pragma acts when it is prepared, so it is prepared anew each time, and so is the question whether it has acted. */
  const setDurability = (wanted: boolean) => {
    if (wanted === full) return;
    pragma(db, wanted ? "synchronous=full" : "synchronous=normal");
    const level = pragma(db, "synchronous")["synchronous"];
    if (level !== (wanted ? 2 : 1))
      throw new Error(`SQLite did not take the durability class ${wanted ? "full" : "normal"} (synchronous is ${level})`);
    full = wanted;
  };

  /** Stored with the first turn of a build, never before: a start that records nothing leaves no trace. */
  const currentBuild = () => {
    tx.run("insert or ignore into builds (build, version) values (?, ?)", build.build, build.version);
    return tx.get<{ id: number }>("select id from builds where build = ? and version = ?", build.build, build.version)?.id ?? 0;
  };

  const insertTurn = tx.prepared('insert into turns (turn, at, "to", command, build) values (?, ?, ?, ?, ?)');
  const insertEvent = tx.prepared(
    "insert into events (position, stream, version, type, schema, at, turn, call, data, payload, hash) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );

  const insert = (batch: Encoded, by: number) => {
    for (const [id, name] of batch.names) tx.run("insert into names (id, name) values (?, ?)", id, name);
    for (const blob of batch.blobs) if (!belongsInFile(blob, folder)) insertBlob(tx, blob);
    insertTurn.run(batch.turn, batch.at, batch.to, batch.command, by);
    const turn: Envelope[] = [];
    for (const { envelope: e, stream, type, data, payload } of batch.events) {
      insertEvent.run(
        e.position,
        stream,
        e.version,
        type,
        e.schema,
        e.at,
        e.turn,
        e.call ?? null,
        data,
        payload,
        Buffer.from(e.hash, "hex"),
      );
      turn.push(e);
    }
    project(tx, projections, turn);
  };

  return {
    commit(group, beside) {
      for (const { blobs } of group) for (const blob of blobs) if (belongsInFile(blob, folder)) writeBlobFile(folder, blob);
      setDurability(group.some((batch) => batch.full));
      failpoint("before_begin");
      tx.run("begin immediate");
      try {
        const by = buildId ?? currentBuild();
        for (const batch of group) insert(batch, by);
        beside(group.at(-1)?.head.position ?? 0);
        failpoint("before_commit");
        tx.run("commit");
        buildId = by;
      } catch (error) {
        if (db.inTransaction) tx.run("rollback");
        throw error;
      }
      failpoint("after_commit");
    },
  };
}
