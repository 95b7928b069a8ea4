/** The program: every verb of the command line. */
import { Command } from "commander";
import { serveVerb } from "./cli/serve.ts";
import { VERSION } from "./version.ts";

const program = new Command("toolcrib")
  .description("The tools subsystem for AI agents: every call in an append-only log, before and after it acts.")
  .version(VERSION);
for (const verb of [serveVerb]) verb(program);
await program.parseAsync();
