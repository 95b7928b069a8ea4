/** Blobs: up to 1 MiB in a table of the log, larger ones in files named by their hash. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { BLOB_TABLE_LIMIT } from "../../events/payload.ts";
import { replaceFileSync, syncFolder } from "./files.ts";
import type { Blob } from "./payload.ts";
import type { Statements } from "./statements.ts";

/** `folder` is the data folder; a log in memory has none and keeps everything in the table. */
export function belongsInFile(blob: Blob, folder: string | undefined): folder is string {
  return folder !== undefined && blob.content.length > BLOB_TABLE_LIMIT;
}

export function blobFile(folder: string, hash: string): string {
  return join(folder, "blobs", hash.slice(0, 2), hash.slice(2));
}

/** Durable under its final name when this returns: the turn that names it comes after. */
export function writeBlobFile(folder: string, { hash, content }: Blob): void {
  const path = blobFile(folder, hash);
  if (existsSync(path)) return;
  const shelf = dirname(path);
  mkdirSync(shelf, { recursive: true, mode: 0o700 });
  replaceFileSync(path, content);
  for (const parent of [dirname(shelf), folder]) syncFolder(parent);
}

export function insertBlob(tx: Statements, { hash, content }: Blob): void {
  tx.run("insert or ignore into blobs (hash, bytes, content) values (?, ?, ?)", hash, content.length, content);
}

/** The bytes of a blob, or undefined when it is not there. */
export function readBlob(tx: Statements, folder: string | undefined, hash: string): Uint8Array | undefined {
  const row = tx.get<{ content: Uint8Array }>("select content from blobs where hash = ?", hash);
  if (row !== undefined) return row.content;
  if (folder === undefined) return undefined;
  const path = blobFile(folder, hash);
  return existsSync(path) ? readFileSync(path) : undefined;
}

/** Unlink blob files whose erasure was committed; those that are gone already are fine. */
export function removeBlobFiles(folder: string, hashes: readonly string[]): void {
  for (const hash of hashes) {
    const path = blobFile(folder, hash);
    rmSync(path, { force: true });
    if (existsSync(dirname(path))) syncFolder(dirname(path));
  }
}

/** The hashes of all blob files, and the paths of files that no finished write leaves behind. */
export function listBlobFiles(folder: string): { hashes: string[]; strays: string[] } {
  const root = join(folder, "blobs");
  const hashes: string[] = [];
  const strays: string[] = [];
  if (!existsSync(root)) return { hashes, strays };
  for (const shelf of readdirSync(root))
    for (const name of readdirSync(join(root, shelf)))
      if (/^[0-9a-f]{64}$/.test(shelf + name)) hashes.push(shelf + name);
      else strays.push(join(root, shelf, name));
  return { hashes, strays };
}
