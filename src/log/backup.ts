/** A copy of a log, taken while its owner runs, from another process: one database file, or a whole data folder. */
import { Database } from "bun:sqlite";
import { closeSync, copyFileSync, cpSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readAnchor } from "./anchor.ts";
import { syncFolder } from "./files.ts";
import { DATABASE } from "./reader.ts";
import { openForReading } from "./schema.ts";

/**
 * One SQLite file that holds the whole log, large blobs too, and beside it `<file>.anchor`, the signed head. The keys are not in it.
 * `file` must not be there yet. Throws a `LogError` or an Error of the system.
 */
export function backupToFile(from: string, file: string): void {
  if (existsSync(file)) throw new Error(`${file} is there already: name a new file for the backup`);
  readAnchor(from); // refuses a damaged one
  copyFileSync(join(from, "anchor"), `${file}.anchor`);
  copyDatabase(join(from, DATABASE), file);
  using db = new Database(file, { readwrite: true });
  using insert = db.prepare<unknown, [string, number, Uint8Array]>("insert or ignore into blobs (hash, bytes, content) values (?, ?, ?)");
  for (const { hash, path } of blobFiles(from)) {
    const content = readFileSync(path);
    insert.run(hash, content.length, content);
  }
}

/** Blobs are written before the turn that names them: those of the copied turns are all there. */
function blobFiles(folder: string): { hash: string; path: string }[] {
  const root = join(folder, "blobs");
  if (!existsSync(root)) return [];
  return readdirSync(root).flatMap((head) =>
    readdirSync(join(root, head)).map((tail) => ({ hash: `${head}${tail}`, path: join(root, head, tail) })),
  );
}

/** `to` must be missing or empty. It is as secret as the data folder: the key of the anchor is in it, so that it can be put in its place. Throws a `LogError` or an Error of the system. */
export function backupToFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  if (readdirSync(to).length > 0) throw new Error(`${to} is not empty: name a new folder for the backup`);
  readAnchor(from); // refuses a damaged one
  // The anchor first: it may name less than the copy holds, never more.
  copyFileSync(join(from, "anchor"), join(to, "anchor"));
  cpSync(join(from, "keys"), join(to, "keys"), { recursive: true });
  copyDatabase(join(from, DATABASE), join(to, DATABASE));
  // Blobs are written before the turn that names them: those of the copied turns are all there.
  if (existsSync(join(from, "blobs"))) cpSync(join(from, "blobs"), join(to, "blobs"), { recursive: true });
  syncFolder(to);
}

function copyDatabase(from: string, to: string): void {
  using db = openForReading(from);
  using statement = db.prepare<unknown, [string]>("vacuum into ?");
  statement.run(to);
  const file = openSync(to, "r");
  fsyncSync(file); // VACUUM INTO does not
  closeSync(file);
}
