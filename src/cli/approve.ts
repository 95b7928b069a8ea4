/** `toolcrib approve`: approve a call that waits: it is made, once. */
import type { Command } from "commander";
import { type DecideFlags, decide } from "./decide.ts";

export function approveVerb(program: Command): void {
  program
    .command("approve")
    .description("approve a call that waits: it is made, once")
    .argument("<id>", "as `toolcrib approvals` lists it (a_…)")
    .option("--reason <text>", "why; it is recorded with your name")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action((id: string, flags: DecideFlags) => decide(id, "approve", flags));
}
