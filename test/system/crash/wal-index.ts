/** Whether a killed process was in the middle of copying the WAL into the database: the WAL index tells, if it is read before anybody opens the log. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DATABASE } from "../../../src/log/reader.ts";

/** SQLite's WalCkptInfo (https://www.sqlite.org/walformat.html, 2.1): frames copied, and frames that the last attempt set out to copy. */
const BACKFILLED = 96;
const ATTEMPTED = 128;

export function diedInCheckpoint(data: string): boolean {
  const file = join(data, `${DATABASE}-shm`);
  if (!existsSync(file)) return false;
  const index = readFileSync(file);
  if (index.length < ATTEMPTED + 4) return false;
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  return view.getUint32(BACKFILLED, true) < view.getUint32(ATTEMPTED, true);
}
