/** `toolcrib tasks`: calls that go on in the background, and what became of them. */
import type { Command } from "commander";
import { type TaskView, taskViews } from "../calls/task-views.ts";
import type { DataFlag } from "./data-folder.ts";
import { print, printJson, time } from "./print.ts";
import { reading } from "./reading.ts";
import { table } from "./table.ts";

export function tasksVerb(program: Command): void {
  program
    .command("tasks")
    .description("list the calls that go on in the background")
    .option("--all", "also those that have ended")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action(tasks);
}

async function tasks({ all = false, json, ...flags }: DataFlag & { all?: boolean; json?: true }): Promise<void> {
  await reading(flags, (reader) => {
    const { position } = reader.head;
    const rows = taskViews(reader).tasks(all ? 0 : Number.MAX_SAFE_INTEGER);
    if (json) return printJson({ tasks: rows, position });
    if (rows.length === 0) return print("nothing goes on in the background");
    print(table(["TASK", "STARTED", "UNTIL", "TOOL", "AGENT", "SESSION", "STATUS", "DELIVERED"], rows.map(cells)));
    if (rows.some(({ settledAt }) => settledAt === undefined))
      process.stderr.write('\nLook at it ("toolcrib show ID"); to stop it: toolcrib cancel ID\n');
  });
}

const cells = ({ id, createdAt, deadline, name, agent, session, status, pollFailures, settledAt, delivered }: TaskView) => [
  id,
  time(createdAt),
  deadline === null ? "-" : time(deadline),
  name,
  agent,
  session,
  pollFailures > 0 && settledAt === undefined ? `${status} (failed polls: ${pollFailures})` : status,
  settledAt === undefined ? "-" : delivered ? "yes" : "no",
];
