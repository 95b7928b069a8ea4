/** The tables of the log: opening a database as ours, or refusing it, and bringing it to the newest migration. */
import { Database } from "bun:sqlite";
import { randomUUID } from "node:crypto";
import firstMigration from "../../migrations/001_log.sql" with { type: "text" };
import { codeOf, type LogError, logError } from "./failure.ts";
import { pragma } from "./statements.ts";

/** "TCRB": what `file events.db` and other programs can tell our database by. */
export const APPLICATION_ID = 0x54435242;

/** In order; number n brings `user_version` from n - 1 to n. Never edited once released. */
const migrations: readonly string[] = [firstMigration];

/** The `user_version` that this program reads and writes. */
export const SCHEMA_VERSION = migrations.length;

/** Open the one writing connection, create or migrate its tables, or throw a `LogError`. `path` is a file or ":memory:". */
export function openForWriting(path: string, failpoint: (name: string) => void): Database {
  const db = opened(path, { create: true, readwrite: true });
  try {
    accept(db, path);
    // A few milliseconds at most: only the checkpoint worker ever holds the lock that we wait for.
    for (const setting of ["busy_timeout=10000", "journal_mode=wal", "wal_autocheckpoint=0", "secure_delete=on"]) pragma(db, setting);
    harden(db);
    migrate(db, failpoint);
    return db;
  } catch (error) {
    db.close();
    throw refusal(error, path);
  }
}

/** Open a connection that cannot write, on the log of a running, stopped or killed program. Throws a `LogError`. */
export function openForReading(path: string): Database {
  const db = opened(path, { readonly: true });
  try {
    accept(db, path);
    if (number(db, "user_version") === 0) throw logError("unreadable", `${path} has no log in it`);
    pragma(db, "busy_timeout=10000");
    harden(db);
    return db;
  } catch (error) {
    db.close();
    throw refusal(error, path);
  }
}

/** The tables of a log of schema `version`, empty: what the database of a log must look like. */
export function emptyTables(db: Database, version: number): void {
  for (const sql of migrations.slice(0, version)) db.run(sql);
}

/** The id that was drawn when this log was created: every hash depends on it. */
export function logId(db: Database): string {
  const row = only<{ value: string }>(db, "select value from meta where key = 'log'");
  if (row === undefined) throw logError("unreadable", "the log has no id: its meta table is damaged");
  return row.value;
}

function opened(path: string, options: ConstructorParameters<typeof Database>[1]): Database {
  try {
    return new Database(path, options);
  } catch (error) {
    throw refusal(error, path);
  }
}

function accept(db: Database, path: string): void {
  const id = number(db, "application_id");
  const version = number(db, "user_version");
  const tables = only<{ n: number }>(db, "select count(*) as n from sqlite_schema")?.n ?? 0;
  if (id !== APPLICATION_ID && (id !== 0 || version !== 0 || tables > 0))
    throw logError("foreign", `${path} is the database of another program: choose another data folder, or move that file away`);
  if (version > SCHEMA_VERSION)
    throw logError("newer", `${path} has schema ${version}, this program knows ${SCHEMA_VERSION}: start the newer release that wrote it`);
}

function harden(db: Database): void {
  for (const setting of ["trusted_schema=off", "cell_size_check=on", "foreign_keys=on", "recursive_triggers=on"]) pragma(db, setting);
}

function migrate(db: Database, failpoint: (name: string) => void): void {
  for (let version = number(db, "user_version"); version < SCHEMA_VERSION; version++) {
    db.transaction(() => {
      db.run(migrations[version] ?? "");
      if (version === 0) {
        db.run(`pragma application_id=${APPLICATION_ID}`);
        db.run("insert into meta (key, value) values ('log', ?)", [randomUUID()]);
      }
      db.run(`pragma user_version=${version + 1}`);
      failpoint("migration");
    }).immediate();
  }
}

export function number(db: Database, name: "application_id" | "user_version"): number {
  return Number(pragma(db, name)[name] ?? 0);
}

function only<Row>(db: Database, sql: string): Row | undefined {
  const statement = db.prepare<Row, []>(sql);
  try {
    return statement.get() ?? undefined;
  } finally {
    statement.finalize();
  }
}

function refusal(error: unknown, path: string): LogError | unknown {
  const code = codeOf(error);
  if (code === "SQLITE_BUSY" || code === "SQLITE_LOCKED")
    return logError("locked", `${path} is in use by another process: stop it, or use another data folder`, error);
  if (/^SQLITE_(NOTADB|CORRUPT|CANTOPEN|IOERR|READONLY|PERM)/.test(code))
    return logError(
      "unreadable",
      `${path} cannot be opened as a log (${code}): restore a backup, or look at it with "toolcrib verify"`,
      error,
    );
  return error;
}
