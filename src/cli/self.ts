/** How this program starts itself again, and what its children must not inherit. */
import { complain } from "./exit.ts";

/** In a compiled binary the main script lies in a virtual folder and is part of the executable. */
const isCompiled = (): boolean => Bun.main.startsWith("/$bunfs/") || Bun.main.startsWith("B:/~BUN/");

/** The command and first arguments that start this program. */
export const selfCommand = (): readonly string[] => (isCompiled() ? [process.execPath] : [process.execPath, Bun.main]);

/** The absolute path by which a configuration could name this program; never the runtime's, which other servers use as well. */
export const selfPath = (): string => (isCompiled() ? process.execPath : Bun.main);

/** They make the runtime load other code than ours. */
const RUNTIME_OPTIONS = ["BUN_OPTIONS", "BUN_BE_BUN"] as const;

/** What they asked for has happened before our first line ran: it is told, and no child of ours inherits it. */
export function dropRuntimeOptions(): void {
  for (const name of RUNTIME_OPTIONS) {
    if (process.env[name] === undefined) continue;
    delete process.env[name];
    complain(`warning: ${name} is set: it can load code into this program. It is ignored from here on; unset it`);
  }
}
