/** `toolcrib export`: events with their free values, for auditors. */
import { type Command, Option } from "commander";
import { exportEvents } from "../audit/export.ts";
import type { Point } from "../audit/state-at.ts";
import type { Reader } from "../log/reader.ts";
import type { DataFlag } from "./data-folder.ts";
import { EXIT, failure } from "./exit.ts";
import { pointOf, positionBefore, positionOf } from "./point.ts";
import { written } from "./print.ts";
import { reading } from "./reading.ts";

interface ExportFlags extends DataFlag {
  readonly session?: string;
  readonly from?: Point;
  readonly to?: Point;
}

const BATCH = 200;

export function exportVerb(program: Command): void {
  program
    .command("export")
    .description("write the log, with arguments and results, to standard output")
    .addOption(new Option("--format <format>", "one event a line").choices(["jsonl"]).default("jsonl"))
    .option("--session <id>", "only what belongs to this session (id or name)")
    .option("--from <position|time>", "from here on", pointOf)
    .option("--to <position|time>", "up to and with here", pointOf)
    .option("--data <dir>", "data folder")
    .action(exportLog);
}

async function exportLog({ session, from, to, ...flags }: ExportFlags): Promise<void> {
  await reading(flags, async (reader) => {
    const request = {
      from: from === undefined ? 1 : positionBefore(reader, from) + 1,
      to: Math.min(to === undefined ? Number.POSITIVE_INFINITY : positionOf(reader, to), reader.head.position),
      ...(session !== undefined && { session: idOf(reader, session) }),
    };
    let lines: string[] = [];
    for (const event of exportEvents(reader, request)) {
      lines.push(JSON.stringify(event));
      if (lines.length < BATCH) continue;
      await written(lines);
      lines = [];
    }
    if (lines.length > 0) await written(lines);
  });
}

function idOf(reader: Reader, session: string): string {
  const found = reader.query<{ id: string }>(
    "select id from sessions where id = ?1 or name = ?1 order by opened_at desc limit 1",
    session,
  )[0];
  if (!found) throw failure(EXIT.failed, `there is no session ${session} in this log`);
  return found.id;
}
