/** Everything that is read from the log, over any connection: the writer's own, or a read-only one of the CLI and the debug page. */
import type { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { EventDefinition } from "../../events/define.ts";
import type { Envelope } from "../../events/envelope.ts";
import type { Head, Snapshot } from "../runtime/event-log.ts";
import { readBlob } from "./blobs.ts";
import { logError } from "./failure.ts";
import { genesis, snapshotHash } from "./hash.ts";
import { blobOf, payloadOf } from "./payload.ts";
import { type EventRow, envelopeOf, SELECT_EVENTS } from "./rows.ts";
import { logId, openForReading } from "./schema.ts";
import { type Statements, statementsOf, type Value } from "./statements.ts";

export const DATABASE = "events.db";

export interface PageRequest {
  /** Only events after this position. */
  readonly after: number;
  readonly limit: number;
  readonly stream?: string;
  readonly type?: string;
  readonly call?: string;
}

export interface Reader {
  /** The id drawn when the log was created. */
  readonly id: string;
  /** What the first event's hash follows. */
  readonly genesis: string;
  /** The last committed event. */
  readonly head: Head;
  /** One stream's events with version > `after`, oldest first. Blobs stay references. */
  read(stream: string, after?: number): Iterable<Envelope>;
  /** Events of all streams in global order, at most `limit`. */
  page(request: PageRequest): Envelope[];
  /** All events of one call, over all streams. Needs the calls projection. */
  eventsOfCall(call: string): Envelope[];
  /** An event's payload with a blob read in. Undefined when there is none or it was erased; throws when a blob is missing. */
  payload(position: number): unknown;
  snapshot(stream: string): Snapshot | undefined;
  /** The JSON of a definition. */
  definition(hash: string): string | undefined;
  /** Rows of a projection. `sql` must be a constant: it is prepared once and kept. */
  query<Row extends object>(sql: string, ...values: Value[]): Row[];
}

/** `folder` is undefined for a log in memory. */
export function readerOf(
  db: Database,
  tx: Statements,
  definitions: ReadonlyMap<string, EventDefinition>,
  folder: string | undefined,
): Reader {
  const id = logId(db);
  const start = genesis(id);
  const decoded = (rows: readonly EventRow[]) => rows.map((row) => envelopeOf(row, definitions));
  return {
    id,
    genesis: start,
    get head() {
      const row = tx.get<Head>("select position, turn, at, lower(hex(hash)) as hash from events order by position desc limit 1");
      return row ?? { position: 0, turn: 0, at: 0, hash: start };
    },
    *read(stream, after = 0) {
      const PAGE = 500; // no statement stays open while the caller works
      for (let last = after; ; ) {
        const rows = tx.all<EventRow>(
          `${SELECT_EVENTS} where e.stream = (select id from names where name = ?) and e.version > ? order by e.version limit ${PAGE}`,
          stream,
          last,
        );
        for (const row of rows) yield envelopeOf(row, definitions);
        last = rows.at(-1)?.version ?? last;
        if (rows.length < PAGE) return;
      }
    },
    page: (request) => decoded(page(tx, request)),
    eventsOfCall(call) {
      const range = tx.get<{ first: number; last: number }>(
        "select first_position as first, case status when 'ended' then last_position else 9007199254740991 end as last from calls where call = ?",
        call,
      );
      if (range === undefined) return [];
      const sql = `${SELECT_EVENTS} where e.position between ? and ? and e.call = ? order by e.position`;
      return decoded(tx.all<EventRow>(sql, range.first, range.last, call));
    },
    payload(position) {
      const column = tx.get<{ payload: string | null }>("select payload from events where position = ?", position)?.payload;
      if (typeof column !== "string") return undefined;
      const hash = blobOf(column);
      if (hash === undefined) return payloadOf(column);
      const content = readBlob(tx, folder, hash);
      if (content === undefined)
        throw new Error(`the blob ${hash} of position ${position} is missing: look at the log with "toolcrib verify"`);
      return JSON.parse(new TextDecoder().decode(content));
    },
    snapshot(stream) {
      const row = tx.get<{ version: number; shape: number; state: string; hash: string }>(
        "select version, shape, state, lower(hex(hash)) as hash from snapshots where stream = (select id from names where name = ?)",
        stream,
      );
      if (row === undefined || row.hash !== snapshotHash(stream, row.version, row.shape, row.state)) return undefined;
      return { stream, version: row.version, shape: row.shape, state: JSON.parse(row.state) };
    },
    definition: (hash) => tx.get<{ json: string }>("select json from definitions where hash = ?", hash)?.json,
    query: (sql, ...values) => tx.all(sql, ...values),
  };
}

/** The filters make eight texts, each prepared once. */
function page(tx: Statements, { after, limit, stream, type, call }: PageRequest): EventRow[] {
  let sql = `${SELECT_EVENTS} where e.position > ?`;
  const values: Value[] = [after];
  const filter = (condition: string, value: string | undefined) => {
    if (value === undefined) return;
    sql += ` and ${condition}`;
    values.push(value);
  };
  filter("e.stream = (select id from names where name = ?)", stream);
  filter("e.type = (select id from names where name = ?)", type);
  filter("e.call = ?", call);
  return tx.all<EventRow>(`${sql} order by e.position limit ?`, ...values, limit);
}

export interface OpenReader extends Reader {
  close(): void;
}

/** Read a data folder from another process: the owner may be running, stopped or killed. Throws a `LogError`. */
export function openReader(folder: string, definitions: ReadonlyMap<string, EventDefinition>): OpenReader {
  const path = join(folder, DATABASE);
  if (!existsSync(path))
    throw logError("unreadable", `there is no log in ${folder}: name the data folder of a toolcrib with --data DIR, or in $TOOLCRIB_DATA`);
  const db = openForReading(path);
  const tx = statementsOf(db);
  const close = () => {
    tx.finalize();
    db.close();
  };
  return Object.assign(readerOf(db, tx, definitions, folder), { close });
}
