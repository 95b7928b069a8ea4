/** `toolcrib deny`: deny a call that waits. */
import type { Command } from "commander";
import { type DecideFlags, decide } from "./decide.ts";

export function denyVerb(program: Command): void {
  program
    .command("deny")
    .description("deny a call that waits")
    .argument("<id>", "as `toolcrib approvals` lists it (a_…)")
    .option("--reason <text>", "why; the agent is told")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action((id: string, flags: DecideFlags) => decide(id, "deny", flags));
}
