/** `toolcrib sql-worker` (hidden): the child of the debug door that runs one query, given on standard input. */
import type { Command } from "commander";
import { serveSqlWorker } from "../doors/debug/sql-worker.ts";

export function sqlWorkerVerb(program: Command): void {
  program.command("sql-worker", { hidden: true }).action(serveSqlWorker);
}
