/** `toolcrib revise`: send a call that waits back: the agent is told what should be different. */
import type { Command } from "commander";
import { type DecideFlags, decide } from "./decide.ts";

export function reviseVerb(program: Command): void {
  program
    .command("revise")
    .description("send a call that waits back: the agent is told what should be different")
    .argument("<id>", "as `toolcrib approvals` lists it (a_…)")
    .requiredOption("--instructions <text>", "what should be different, at most 1,000 characters")
    .option("--reason <text>", "why; it is recorded with your name")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action((id: string, flags: DecideFlags) => decide(id, "revise", flags));
}
