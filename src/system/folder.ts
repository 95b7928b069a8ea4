/** The data folder before anything is opened in it: made when it is missing, refused when it cannot be written. */
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../log/failure.ts";
import { DATABASE } from "../log/reader.ts";

const NOT_PERMITTED = new Set(["EACCES", "EPERM", "EROFS"]);

/** What else stands in the way, by the system's code. */
const WHY: Readonly<Record<string, string>> = {
  EEXIST: "there is a file of that name",
  ENOTDIR: "a part of its path is a file",
  ENOENT: "the folder it would stand in takes no new ones",
  ENOSPC: "the disk is full",
  ENAMETOOLONG: "the name is too long",
};

/**
 * Throws an Error that names the folder. Its code is "EACCES" when the folder, or the log in it, may not be written: no permission, or a read-only file
 * system; else the system's.
 */
export function takeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK | constants.X_OK);
    const database = join(folder, DATABASE);
    if (existsSync(database)) accessSync(database, constants.W_OK);
  } catch (error) {
    const code = codeOf(error);
    const message = NOT_PERMITTED.has(code)
      ? `the data folder ${folder} cannot be written (${code}): make it writable for this user, or choose another with --data`
      : `the data folder ${folder} cannot be made: ${WHY[code] ?? code}. Choose another with --data`;
    throw Object.assign(new Error(message, { cause: error }), { code: NOT_PERMITTED.has(code) ? "EACCES" : code });
  }
}
