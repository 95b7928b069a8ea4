/** One process per data folder: a database beside the log that its owner holds exclusively. The system releases it when the owner dies, however it dies. */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { codeOf, logError } from "./failure.ts";

export interface Lock {
  release(): void;
}

/** Throws a `LogError` "locked" when another process, or this one, has the folder open for writing. Readers are not affected. */
export function lockFolder(folder: string): Lock {
  const path = join(folder, "lock.db");
  const db = open(path);
  try {
    db.run("pragma journal_mode=delete");
    db.run("begin exclusive");
  } catch (error) {
    db.close();
    throw refusal(error, folder);
  }
  return {
    release() {
      db.run("rollback");
      db.close();
    },
  };
}

function open(path: string): Database {
  try {
    return new Database(path, { create: true, readwrite: true });
  } catch (error) {
    throw refusal(error, path);
  }
}

function refusal(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (code.startsWith("SQLITE_BUSY"))
    return logError("locked", `another toolcrib is using ${path}: connect to it, stop it, or choose another data folder`, error);
  return logError("unreadable", `${path} cannot be locked (${code}): check that the folder is on a local disk and can be written`, error);
}
