/** `toolcrib doubts`: calls that were sent and whose outcome nobody knows. */
import type { Command } from "commander";
import type { DataFlag } from "./data-folder.ts";
import { print, printJson, time } from "./print.ts";
import { reading } from "./reading.ts";
import { table } from "./table.ts";

interface Doubt {
  readonly call: string;
  /** Its name. */
  readonly session: string;
  readonly server: string;
  readonly tool: string;
  readonly argumentsDigest: string;
  readonly since: number;
  readonly code: string;
  readonly resolvedAt: number | null;
  readonly outcome: string | null;
  readonly by: string | null;
}

const DOUBTS = `select d.call, coalesce(s.name, d.session) as session, coalesce(d.server, '') as server, coalesce(d.tool, '') as tool,
  coalesce(d.digest, '') as argumentsDigest, d.since, coalesce(d.code, 'in_doubt') as code, d.resolved_at as resolvedAt, d.outcome, d.by
  from doubts d left join sessions s on s.id = d.session where d.resolved_at is null or ? order by d.since, d.call`;

export function doubtsVerb(program: Command): void {
  program
    .command("doubts")
    .description("list the calls in doubt: sent, and nobody knows whether they were carried out")
    .option("--all", "also those that are resolved")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action(doubts);
}

async function doubts({ all = false, json, ...flags }: DataFlag & { all?: boolean; json?: true }): Promise<void> {
  await reading(flags, (reader) => {
    const { position } = reader.head;
    const rows = reader.query<Doubt>(DOUBTS, Number(all)).map(({ resolvedAt, outcome, by, ...open }) => ({
      ...open,
      ...(resolvedAt !== null && { resolvedAt, outcome, by }),
    }));
    if (json) return printJson({ doubts: rows, position });
    if (rows.length === 0) return print("no call is in doubt");
    const cells = rows.map((row) => [
      row.call,
      time(row.since),
      row.server,
      row.tool,
      row.session,
      row.code,
      row.outcome === undefined ? "open" : `${row.outcome} (${row.by})`,
    ]);
    print(table(["CALL", "SINCE", "SERVER", "TOOL", "SESSION", "CODE", "OUTCOME"], cells));
    if (rows.some(({ outcome }) => outcome === undefined))
      process.stderr.write(
        `\nLook whether it was carried out ("toolcrib show CALL"), then: toolcrib resolve CALL applied|not-applied --note TEXT\n`,
      );
  });
}
