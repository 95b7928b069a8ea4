/** Values that outlive the process and may be read by nobody else: sealed one by one with AES-256-GCM, in a database of their own beside the log. */
import { Database } from "bun:sqlite";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { codeOf, logError } from "../log/failure.ts";
import { pragma, statementsOf } from "../log/statements.ts";

/** In the data folder; 0600, like the files that SQLite puts beside it. */
export const SEALED_DATABASE = "sealed.db";
/** `keys.derive` of this purpose is the key of every sealed store. */
export const SEALED_PURPOSE = "secret store";

/** The kind of what `${secret:NAME}` stands for. */
export const SECRET_KIND = "secret";

export interface SealedStore {
  /** Undefined when there is none, and when what is there cannot be opened (then `report` was told). */
  get(kind: string, name: string): string | undefined;
  put(kind: string, name: string, value: string): void;
  /** Whether there was one. */
  remove(kind: string, name: string): boolean;
  /** By name. `updatedAt`: milliseconds since the epoch, later with every `put` of the name. */
  names(kind: string): readonly { readonly name: string; readonly updatedAt: number }[];
  close(): void;
}

/** "TCRS" */
const APPLICATION_ID = 0x54435253;
const SCHEMA_VERSION = 1;
const TABLE = `create table sealed (
  kind text not null, name text not null, updated_at integer not null, value blob not null, primary key (kind, name)
) strict, without rowid`;

/** So long what was removed or replaced may still stand, sealed, in the file that SQLite keeps beside the database. */
const REMNANTS_MS = 100;
const later = (run: () => void, ms: number): (() => void) => {
  const timer = setTimeout(run, ms);
  timer.unref();
  return () => clearTimeout(timer);
};

const CIPHER = "aes-256-gcm";
/** So long another process is waited for that writes just now. */
const BUSY_MS = 10_000;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Opens or makes the store of a data folder (":memory:" for one that is in no file). Several processes may have it open.
 * `key` has 32 bytes. What is removed or replaced is gone from every file 100 ms later, or when the store is opened next; `after` calls back once then. `report` is told of values that cannot be opened, in words that hold no value; such a value counts as missing.
 * Throws a `LogError` when the file is no store of ours, or a newer one.
 */
export function openSealedStore(
  dataFolder: string,
  key: Uint8Array,
  now: () => number,
  report: (problem: string) => void = () => undefined,
  after = later,
): SealedStore {
  const path = dataFolder === ":memory:" ? dataFolder : join(dataFolder, SEALED_DATABASE);
  const db = openDatabase(path);
  const tx = statementsOf(db);
  let disarm: (() => void) | undefined;
  const wipeSoon = () => {
    disarm ??= after(() => {
      disarm = undefined;
      if (!wipe(db)) wipeSoon();
    }, REMNANTS_MS);
  };
  if (!wipe(db)) wipeSoon(); // a process that was killed may have left some
  return {
    get(kind, name) {
      const row = tx.get<{ value: Uint8Array }>("select value from sealed where kind = ? and name = ?", kind, name);
      if (row === undefined) return undefined;
      const value = unseal(key, row.value, labelOf(kind, name));
      if (value === undefined)
        report(
          `the ${kind} ${name} in ${path} cannot be opened: it was altered, or sealed with another keys/installation.key. It counts as missing: set it again`,
        );
      return value;
    },
    put(kind, name, value) {
      const isReplaced = tx.get("select 1 from sealed where kind = ? and name = ?", kind, name) !== undefined;
      tx.run(
        `insert into sealed (kind, name, updated_at, value) values (?, ?, ?, ?)
         on conflict (kind, name) do update set value = excluded.value, updated_at = max(excluded.updated_at, updated_at + 1)`,
        kind,
        name,
        now(),
        seal(key, value, labelOf(kind, name)),
      );
      if (isReplaced) wipeSoon();
    },
    remove(kind, name) {
      const isGone = tx.run("delete from sealed where kind = ? and name = ?", kind, name) > 0;
      if (isGone) wipeSoon();
      return isGone;
    },
    names: (kind) => tx.all("select name, updated_at as updatedAt from sealed where kind = ? order by name", kind),
    close() {
      disarm?.();
      tx.finalize();
      pragma(db, "wal_checkpoint(truncate)");
      db.close();
    },
  };
}

/** Empties the WAL, which holds former values; what is freed in the database itself is overwritten there. False when it cannot be done just now: another process reads, or the disk is full. */
function wipe(db: Database): boolean {
  pragma(db, "busy_timeout=0"); // whoever reads is not waited for
  try {
    return pragma(db, "wal_checkpoint(truncate)")["busy"] !== 1;
  } catch {
    return false;
  } finally {
    pragma(db, `busy_timeout=${BUSY_MS}`);
  }
}

/** Authenticated with the value: a value that was moved to another name does not open. */
const labelOf = (kind: string, name: string): Uint8Array => Buffer.from(JSON.stringify([kind, name]));

function seal(key: Uint8Array, value: string, label: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(label);
  return Buffer.concat([nonce, cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()]);
}

function unseal(key: Uint8Array, sealed: Uint8Array, label: Uint8Array): string | undefined {
  const end = sealed.length - TAG_BYTES;
  if (end < NONCE_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES)).setAAD(label).setAuthTag(sealed.subarray(end));
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, end)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

function openDatabase(path: string): Database {
  let db: Database | undefined;
  try {
    if (path !== ":memory:") closeSync(openSync(path, "a", 0o600)); // SQLite would make it readable by others
    db = new Database(path, { create: true, readwrite: true });
    for (const setting of [`busy_timeout=${BUSY_MS}`, "trusted_schema=off", "cell_size_check=on", "secure_delete=on"]) pragma(db, setting);
    prepare(db, path);
    return db;
  } catch (error) {
    db?.close();
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(codeOf(error))) throw error;
    const next = "restore it from a backup, or move it away and set its secrets again";
    throw logError("unreadable", `${path} is damaged, or no database (${codeOf(error)}): ${next}`, error);
  }
}

/** Under the write lock, so that processes that start together make one table. */
function prepare(db: Database, path: string): void {
  if (pragma(db, "journal_mode")["journal_mode"] !== "wal") pragma(db, "journal_mode=wal");
  db.transaction(() => {
    const id = Number(pragma(db, "application_id")["application_id"]);
    const version = Number(pragma(db, "user_version")["user_version"]);
    if (id === 0 && version === 0) {
      db.run(TABLE);
      db.run(`pragma application_id=${APPLICATION_ID}`);
      db.run(`pragma user_version=${SCHEMA_VERSION}`);
    } else if (id !== APPLICATION_ID) throw logError("foreign", `${path} is the database of another program: move it away`);
    else if (version > SCHEMA_VERSION)
      throw logError("newer", `${path} has schema ${version}, this program knows ${SCHEMA_VERSION}: start the newer release that wrote it`);
  }).immediate();
}
