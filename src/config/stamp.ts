/** Whether a file changed, without reading it. */
import { statSync } from "node:fs";

/** Nanoseconds, size and inode: a file renamed into place differs even if it keeps its time and size. The same for every missing file. */
export function stampOf(path: string): string {
  try {
    const { mtimeNs, size, ino } = statSync(path, { bigint: true });
    return `${mtimeNs}:${size}:${ino}`;
  } catch {
    return "missing";
  }
}
