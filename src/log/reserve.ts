/** Space that is held back, so that calls in flight can settle when the disk is full. */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";

export const RESERVE_BYTES = 16 * 1024 * 1024;

const CHUNK = 1024 * 1024;
/** A disk that holds less than this many reserves is better left alone. */
const MARGIN = 4;

const fileOf = (folder: string) => join(folder, "reserve");

/** Make the file if it is missing or not whole (a start was cut short) and there is space. Written, not sparse: it must take the space. */
export function reserve(folder: string, bytes: number): void {
  const size = statSync(fileOf(folder), { throwIfNoEntry: false })?.size ?? 0;
  if (size >= bytes) return;
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < bytes * MARGIN) return;
  const file = openSync(fileOf(folder), "w", 0o600);
  try {
    const zeros = Buffer.alloc(Math.min(CHUNK, bytes));
    for (let written = 0; written < bytes; ) written += writeSync(file, zeros, 0, Math.min(zeros.length, bytes - written));
    fsyncSync(file);
  } catch {
    rmSync(fileOf(folder), { force: true }); // somebody else filled the disk meanwhile: go on without
  } finally {
    closeSync(file);
  }
}

/** Give the space back. False when there was none to give. */
export function releaseReserve(folder: string): boolean {
  if (!existsSync(fileOf(folder))) return false;
  rmSync(fileOf(folder));
  return true;
}
