/** Files that are either the old or the new one after a crash, never half of each. */
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";

const MODE = 0o600;

/** Write, fsync, rename, fsync the folder. */
export function replaceFileSync(path: string, content: string | Uint8Array): void {
  const unfinished = `${path}.tmp`;
  const file = openSync(unfinished, "w", MODE);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
  syncFolder(dirname(path));
}

/** The same without holding up the event loop. One at a time for each path. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const unfinished = `${path}.tmp`;
  const file = await open(unfinished, "w", MODE);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
  await syncFile(dirname(path));
}

/** A rename or an unlink is durable only when its folder is. */
export function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** What was written to a file or folder through other descriptors is durable when this resolves. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
