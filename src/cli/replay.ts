/** `toolcrib replay`: the state of the system, or of one stream, at a point of history. */
import type { Command } from "commander";
import { type Point, stateAt } from "../audit/state-at.ts";
import type { Reader } from "../log/reader.ts";
import type { DataFlag } from "./data-folder.ts";
import { EXIT, failure } from "./exit.ts";
import { pointOf } from "./point.ts";
import { bold, print, printJson, time } from "./print.ts";
import { reading } from "./reading.ts";
import { table } from "./table.ts";

interface ReplayFlags extends DataFlag {
  readonly at?: Point;
  readonly stream?: string;
  readonly json?: true;
}
interface StreamRow {
  readonly stream: string;
  readonly version: number;
  /** Of its newest event. */
  readonly position: number;
  readonly at: number;
}
/** What `stateAt` makes of the registry's state. */
interface Catalogue {
  readonly digest: string;
  readonly servers: Readonly<Record<string, { name: string; origin: string; transport: string; refused?: string; offers: object }>>;
  readonly names: object;
}

const STREAMS = `select n.name as stream, max(e.version) as version, max(e.position) as position, max(e.at) as at
  from events e join names n on n.id = e.stream where e.position <= ? group by e.stream order by n.name`;

export function replayVerb(program: Command): void {
  program
    .command("replay")
    .description("print the state at a point of history, folded from the log")
    .option("--at <position|time>", "after this position, or at this time (2026-01-31T12:00:00Z); the default is now", pointOf)
    .option("--stream <name>", "of one stream, such as server/mail; without it an overview")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action(replay);
}

async function replay({ at, stream, json, ...flags }: ReplayFlags): Promise<void> {
  await reading(flags, async (reader) => {
    const point = at ?? { position: reader.head.position };
    if (stream === undefined) return overview(reader, point, json === true);
    if (!exists(reader, stream)) throw failure(EXIT.failed, `there is no stream ${stream} in this log: "toolcrib replay" lists them`);
    const { state, version, position } = await stateAt(reader, stream, point);
    if (json) return printJson({ stream, state, version, position });
    print(bold(`${stream} after ${version} of its events, at position ${position}`));
    printJson(state);
  });
}

async function overview(reader: Reader, point: Point, json: boolean): Promise<void> {
  const registry = await stateAt(reader, "registry", point);
  const { position } = registry;
  const { digest, servers, names } = registry.state as Catalogue;
  const streams = reader.query<StreamRow>(STREAMS, position);
  const rows = Object.values(servers).map(({ name, origin, transport, refused, offers }) => ({
    name,
    origin,
    transport,
    tools: Object.keys(offers).length,
    ...(refused !== undefined && { refused }),
  }));
  if (json) return printJson({ position, catalogue: { digest, tools: Object.keys(names).length, servers: rows }, streams });
  print(
    bold(
      `position ${position} of ${reader.head.position}: ${Object.keys(names).length} tools, configuration ${digest.slice(0, 12) || "none"}`,
    ),
  );
  print(
    `\n${table(
      ["SERVER", "ORIGIN", "TRANSPORT", "TOOLS", "REFUSED"],
      rows.map((row) => [row.name, row.origin, row.transport, row.tools, row.refused ?? ""]),
    )}`,
  );
  print(
    `\n${table(
      ["STREAM", "VERSION", "POSITION", "LAST EVENT"],
      streams.map((row) => [row.stream, row.version, row.position, time(row.at)]),
    )}`,
  );
}

const exists = (reader: Reader, stream: string): boolean =>
  reader.query("select 1 from events where stream = (select id from names where name = ?) limit 1", stream).length > 0;
