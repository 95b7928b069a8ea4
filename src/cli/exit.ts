/** Exit codes (sysexits where they fit) and the one way to end with an error: to stderr, with the next step to take. */

export const EXIT = { ok: 0, failed: 1, usage: 2, data: 65, unavailable: 69, internal: 70, notPermitted: 77, config: 78 } as const;

/** Prints the error and ends the process. */
export function fail(code: number, message: string): never {
  process.stderr.write(`toolcrib: ${message}\n`);
  process.exit(code);
}
