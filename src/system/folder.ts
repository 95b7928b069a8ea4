/** The data folder before anything is opened in it: made when it is missing, refused when it cannot be written. */
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../log/failure.ts";
import { DATABASE } from "../log/reader.ts";

const NOT_PERMITTED = new Set(["EACCES", "EPERM", "EROFS"]);

/** Throws an Error with the code "EACCES" when the folder, or the log in it, may not be written: no permission, or a read-only file system. */
export function takeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK | constants.X_OK);
    const database = join(folder, DATABASE);
    if (existsSync(database)) accessSync(database, constants.W_OK);
  } catch (error) {
    if (!NOT_PERMITTED.has(codeOf(error))) throw error;
    const message = `the data folder ${folder} cannot be written (${codeOf(error)}): make it writable for this user, or choose another with --data`;
    throw Object.assign(new Error(message, { cause: error }), { code: "EACCES" });
  }
}
