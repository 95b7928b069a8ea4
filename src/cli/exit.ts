/** Exit codes (sysexits where they fit), errors that carry one, and the one way in which a verb ends: the error to stderr, with the next step to take. */
import { showInvisible } from "../../actors/visible-text.ts";
import { systemErrorWords } from "./system-error.ts";

export const EXIT = { ok: 0, failed: 1, usage: 2, data: 65, unavailable: 69, internal: 70, notPermitted: 77, config: 78 } as const;

/** What a verb throws to end with this code. The message says what happened and what to do next. */
export interface Failure extends Error {
  readonly exitCode: number;
}

export function failure(exitCode: number, message: string): Failure {
  return Object.assign(new Error(message), { exitCode });
}

const BY_CODE: Readonly<Record<string, number>> = {
  locked: EXIT.unavailable,
  EADDRINUSE: EXIT.unavailable,
  EADDRNOTAVAIL: EXIT.unavailable,
  foreign: EXIT.data,
  newer: EXIT.data,
  unreadable: EXIT.data,
  EACCES: EXIT.notPermitted,
  EPERM: EXIT.notPermitted,
  EROFS: EXIT.notPermitted,
};
/** Nobody throws these on purpose. */
const DEFECTS = new Set(["TypeError", "RangeError", "ReferenceError", "SyntaxError"]);

/** The code of anything that was thrown. Commander has told a usage error on stderr already; all else is told here. */
export function endWith(error: unknown): number {
  const { name, code, exitCode, message } = describe(error);
  if (code.startsWith("commander.")) return exitCode === 1 ? EXIT.usage : (exitCode ?? EXIT.usage);
  const isDefect = exitCode === undefined && DEFECTS.has(name);
  complain(isDefect ? `${message} (a defect of toolcrib: please report it)` : message);
  return exitCode ?? (isDefect ? EXIT.internal : (BY_CODE[code] ?? EXIT.failed));
}

/** One line for people on stderr. */
export function complain(message: string): void {
  process.stderr.write(`toolcrib: ${showInvisible(message)}\n`);
}

function describe(error: unknown): { name: string; code: string; exitCode: number | undefined; message: string } {
  if (!(error instanceof Error)) return { name: "", code: "", exitCode: undefined, message: String(error) };
  const code = "code" in error ? String(error.code) : "";
  const exitCode = "exitCode" in error && typeof error.exitCode === "number" ? error.exitCode : undefined;
  return { name: error.name, code, exitCode, message: systemErrorWords(error) ?? error.message };
}
