/** A projection: tables folded from events inside the append's own transaction, dropped and refolded when its version changes. */
import type { Database } from "bun:sqlite";
import type { Envelope } from "../../events/envelope.ts";
import { projectionHash } from "./hash.ts";
import type { Statements } from "./statements.ts";

/** Applies one event. `turn` holds all events of the event's turn, so that rows of one turn can be written once. */
export type Apply = (tx: Statements, event: Envelope, turn: readonly Envelope[]) => void;

/** May read its own tables, and those of projections that stand before it in the list, but only columns that never change. */
export interface Projection {
  readonly name: string;
  /** Raised whenever `tables` or `on` changes. */
  readonly version: number;
  /** DDL. */
  readonly tables: string;
  /** The tables that the DDL makes. */
  readonly drop: readonly string[];
  readonly on: { readonly [type: string]: Apply };
}

/** Fold one turn into every projection. */
export function project(tx: Statements, projections: readonly Projection[], turn: readonly Envelope[]): void {
  for (const event of turn) for (const { on } of projections) on[event.type]?.(tx, event, turn);
}

interface StoredProjection {
  readonly name: string;
  readonly version: number;
  readonly tables: string;
}

/**
 * Drop and create what is new or has another version and fold the log into it, in one transaction. The others are up to date:
 * every writer passes here first, and a projection that it does not keep loses its row and its tables.
 */
export function rebuild(
  db: Database,
  tx: Statements,
  projections: readonly Projection[],
  head: number,
  turns: () => Iterable<readonly Envelope[]>,
): void {
  const known = new Map(projections.map((projection) => [projection.name, projection]));
  if (known.size < projections.length) throw new Error("two projections have the same name: rename one");
  const stored = new Map(tx.all<StoredProjection>("select name, version, tables from projections").map((row) => [row.name, row]));
  const stale = projections.filter(({ name, version }) => stored.get(name)?.version !== version);
  const gone = [...stored.values()].filter(({ name, version }) => known.get(name)?.version !== version);
  if (stale.length + gone.length === 0) return;
  db.transaction(() => {
    for (const { name, tables } of gone) {
      dropTables(db, JSON.parse(tables) as string[]);
      tx.run("delete from projections where name = ?", name);
    }
    for (const { tables, drop } of stale) {
      dropTables(db, drop);
      db.run(tables);
    }
    for (const turn of turns()) project(tx, stale, turn);
    for (const { name, version, drop } of stale) {
      const tables = JSON.stringify(drop);
      const hash = Buffer.from(projectionHash(name, version, head, tables), "hex");
      tx.run("insert into projections (name, version, position, tables, hash) values (?, ?, ?, ?, ?)", name, version, head, tables, hash);
    }
  }).immediate();
}

function dropTables(db: Database, names: readonly string[]): void {
  for (const name of names) db.run(`drop table if exists "${name.replaceAll('"', '""')}"`);
}
