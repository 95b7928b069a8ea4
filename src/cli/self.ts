/** Where this program lies, and what its children must not inherit. */
import { ourProgram } from "../version.ts";
import { complain } from "./exit.ts";

/** The absolute path by which a configuration could name this program; never the runtime's, which other servers use as well. */
export const selfPath = (): string => ourProgram().at(-1) ?? "";

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
