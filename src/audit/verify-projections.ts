/** Verifying the projections: folded again into a database in memory, they hold the same rows. */
import { Database } from "bun:sqlite";
import type { Envelope } from "../../events/envelope.ts";
import { projectionHash } from "../log/hash.ts";
import { type Projection, project } from "../log/projection.ts";
import { type Statements, statementsOf } from "../log/statements.ts";
import { finding } from "./finding.ts";

export interface Refold {
  apply(turn: readonly Envelope[]): void;
  /** Rows of the refolded tables. */
  readonly tx: Statements;
  /** Throws a finding at the first row that differs. */
  compare(stored: Statements, projections: readonly Projection[]): void;
  [Symbol.dispose](): void;
}

export function refoldOf(projections: readonly Projection[]): Refold {
  const db = new Database(":memory:");
  for (const { tables } of projections) db.run(tables);
  const tx = statementsOf(db);
  tx.run("begin");
  return {
    apply: (turn) => project(tx, projections, turn),
    tx,
    compare(stored, those) {
      for (const { name, drop } of those) for (const table of drop) compareTable(stored, tx, name, table);
    },
    [Symbol.dispose]() {
      tx.finalize();
      db.close();
    },
  };
}

function compareTable(stored: Statements, refolded: Statements, projection: string, table: string): void {
  const key = refolded
    .all<{ name: string }>("select name from pragma_table_info(?) where pk > 0 order by pk", table)
    .map(({ name }) => `"${name}"`)
    .join(", ");
  const sql = `select * from "${table}"${key === "" ? "" : ` order by ${key}`}`;
  const expected = refolded.iterate(sql)[Symbol.iterator]();
  for (const row of stored.iterate(sql)) {
    const next = expected.next();
    if (next.done || JSON.stringify(next.value) !== JSON.stringify(row))
      throw finding("altered", `the projection ${projection} is not what its events make it: ${table} differs at ${describe(row)}`);
  }
  const missing = expected.next();
  if (!missing.done) throw finding("altered", `the projection ${projection} lacks a row of ${table}: ${describe(missing.value)}`);
}

/** The first column is the key, or part of it. */
function describe(row: object): string {
  const [column, value] = Object.entries(row)[0] ?? [];
  return `${column} ${String(value)}`;
}

/** Which projections can be compared: those that are stored in the version that this program folds. The rows themselves are checked. */
export function comparable(
  stored: Statements,
  projections: readonly Projection[],
): { same: Projection[]; skipped: string[]; ignored: Set<string> } {
  const rows = stored.all<{ name: string; version: number; position: number; tables: string; hash: string }>(
    "select name, version, position, tables, lower(hex(hash)) as hash from projections order by name",
  );
  const same: Projection[] = [];
  const skipped: string[] = [];
  const ignored = new Set<string>();
  for (const { name, version, position, tables, hash } of rows) {
    if (projectionHash(name, version, position, tables) !== hash)
      throw finding("altered", `the row of projection ${name} is not what was stored`);
    const ours = projections.find((projection) => projection.name === name);
    if (ours?.version === version) same.push(ours);
    else {
      skipped.push(`${name} (version ${version}, this program folds ${ours?.version ?? "none"})`);
      for (const table of JSON.parse(tables) as string[]) ignored.add(table);
    }
  }
  return { same: projections.filter((projection) => same.includes(projection)), skipped, ignored };
}
