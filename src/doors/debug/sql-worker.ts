/** The child that runs one SQL query over the log and ends: a statement of SQLite cannot be interrupted, a process can. */
import { writeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { DATABASE } from "../../log/reader.ts";
import { openForReading } from "../../log/schema.ts";
import { pragma } from "../../log/statements.ts";
import { whyNotReading } from "./sql-text.ts";

/** What the parent writes to our standard input. */
export const SqlRequest = z.strictObject({ folder: z.string(), query: z.string() });
export const SqlAnswer = z.union([
  z.strictObject({
    columns: z.array(z.string()),
    rows: z.array(z.record(z.string(), z.unknown())),
    truncated: z.boolean(),
    position: z.int(),
  }),
  z.strictObject({ error: z.string() }),
]);
export type SqlAnswer = z.output<typeof SqlAnswer>;

const MAX_ROWS = 1000;
/** Of the rows as JSON; longer texts are cut, and no more rows follow beyond it. */
const MAX_CHARACTERS = 4_000_000;
const MAX_TEXT = 100_000;

/** Runs one statement over the log of a data folder and prints one line of JSON, the rows or `{ error }`, on standard output. */
export function runSqlWorker(folder: string, query: string): void {
  let line: string;
  try {
    line = JSON.stringify(run(folder, query));
  } catch (error) {
    line = JSON.stringify({ error: error instanceof Error ? error.message : String(error) } satisfies SqlAnswer);
  }
  const bytes = Buffer.from(`${line}\n`);
  for (let written = 0; written < bytes.length; ) written += writeSync(1, bytes, written);
}

/** The same, with `{ folder, query }` as JSON on standard input: so neither shows in the list of processes. */
export async function serveSqlWorker(): Promise<void> {
  const { folder, query } = SqlRequest.parse(await Bun.stdin.json());
  runSqlWorker(folder, query);
}

function run(folder: string, query: string): SqlAnswer {
  const refused = whyNotReading(query);
  if (refused !== undefined) return { error: refused };
  const db = openForReading(join(folder, DATABASE));
  try {
    pragma(db, "query_only=on");
    db.run("begin"); // the position and the rows are of one and the same moment
    const head = db.prepare<{ position: number | null }, []>("select max(position) as position from events").get();
    const statement = db.prepare<Record<string, unknown>, []>(query);
    const columns = statement.columnNames;
    const twice = columns.find((name, index) => columns.indexOf(name) !== index);
    if (twice !== undefined) return { error: `two columns are named ${twice}: name one of them with AS` };
    const rows: Record<string, unknown>[] = [];
    let room = MAX_CHARACTERS;
    let truncated = false;
    for (const row of statement.iterate()) {
      truncated = rows.length >= MAX_ROWS || room <= 0;
      if (truncated) break;
      const shown = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, jsonOf(value)]));
      room -= JSON.stringify(shown).length;
      rows.push(shown);
    }
    return { columns, rows, truncated, position: head?.position ?? 0 };
  } finally {
    db.close();
  }
}

/** Blobs as hex. */
function jsonOf(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value.subarray(0, MAX_TEXT / 2)).toString("hex");
  if (typeof value === "string" && value.length > MAX_TEXT) return `${value.slice(0, MAX_TEXT)}… [cut]`;
  return value;
}
