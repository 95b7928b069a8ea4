/** The ways in which a data folder can refuse to be opened, as one Error shape that callers can tell apart by `code`. */

/** `locked`: another process owns the folder. `foreign`: some other program's database. `newer`: written by a later release. `unreadable`: no database, or a damaged one. */
export type LogErrorCode = "locked" | "foreign" | "newer" | "unreadable";

export interface LogError extends Error {
  readonly code: LogErrorCode;
}

/** An Error that says what happened and what to do next, with a `code` for programs. */
export function logError(code: LogErrorCode, message: string, cause?: unknown): LogError {
  return Object.assign(new Error(message, { cause }), { code });
}

/** The `code` of an error of SQLite or of the system ("SQLITE_FULL", "ENOENT"), or an empty string. */
export function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}

/** There is no space left: as SQLite says it of the database, or the system of any other file. */
export const isDiskFull = (error: unknown): boolean => ["SQLITE_FULL", "ENOSPC"].includes(codeOf(error));
