/** Erasing the free values of one session: which rows hold them, and taking them out for good. The events stay, the chain stays valid. */
import type { Database } from "bun:sqlite";
import { PayloadErased } from "../../events/system.ts";
import type { Batch, Head } from "../runtime/event-log.ts";
import { removeBlobFiles } from "./blobs.ts";
import { blobOf } from "./payload.ts";
import { pragma, type Statements } from "./statements.ts";

export interface ErasureRequest {
  /** With or without "session/". */
  readonly session: string;
  /** Who asked for it. */
  readonly by: string;
  readonly reason: string;
  /** Of the turn that records the erasure; one after the newest when nobody else counts turns. */
  readonly turn?: number;
  /** Milliseconds since the epoch. */
  readonly at?: number;
}

export interface Erased {
  readonly turn: number;
  /** Events that lost their payload. */
  readonly events: number;
  /** Blobs that nobody else named. */
  readonly blobs: number;
}

export interface ErasurePlan {
  readonly positions: readonly number[];
  readonly blobs: readonly string[];
  /** Streams whose snapshots may hold what was erased. */
  readonly streams: readonly string[];
}

/** The session's own events, and those of its calls in other streams. Needs the calls projection. Reads the whole log when blobs are involved. */
export function planErasure(tx: Statements, session: string): ErasurePlan {
  const rows = tx.all<{ position: number; stream: string; payload: string | null }>(
    `select e.position, n.name as stream, e.payload from events e join names n on n.id = e.stream
     where e.stream = (select id from names where name = 'session/' || ?1)
     union
     select e.position, n.name as stream, e.payload from calls c join events e
       on e.position >= c.first_position and (c.status <> 'ended' or e.position <= c.last_position) and e.call = c.call
     join names n on n.id = e.stream where c.session = ?1`,
    session,
  );
  const bearing = rows.filter(({ payload }) => payload !== null);
  const positions = bearing.map(({ position }) => position);
  const blobs = new Set(bearing.flatMap(({ payload }) => blobOf(payload ?? "") ?? []));
  const going = new Set(positions);
  if (blobs.size > 0)
    for (const row of tx.iterate<{ position: number; payload: string }>(
      "select position, payload from events where substr(payload, 25, 1) = '@'",
    ))
      if (!going.has(row.position)) blobs.delete(blobOf(row.payload) ?? "");
  return { positions, blobs: [...blobs], streams: [...new Set(rows.map(({ stream }) => stream))] };
}

/** The turn that records an erasure. */
export function erasureBatch(request: ErasureRequest, session: string, plan: ErasurePlan, tail: Head): { batch: Batch; erased: Erased } {
  const { by, reason, turn = tail.turn + 1, at = Math.max(Date.now(), tail.at) } = request;
  const counts = { events: plan.positions.length, blobs: plan.blobs.length };
  const facts = { session, ...counts, by, reason };
  const event = { ...PayloadErased(facts), stream: "system" };
  const batch: Batch = { turn, at, to: "system", command: { type: "erased", ...facts }, events: [event], durability: "full" };
  return { batch, erased: { turn, ...counts } };
}

/** Inside the transaction that records `payload.erased`. Blob files are only noted: an unlink cannot be rolled back. */
export function applyErasure(tx: Statements, { positions, blobs, streams }: ErasurePlan): void {
  for (const position of positions) tx.run("update events set payload = null where position = ?", position);
  for (const hash of blobs)
    if (tx.run("delete from blobs where hash = ?", hash) === 0) tx.run("insert or ignore into removals (hash) values (?)", hash);
  for (const stream of streams) tx.run("delete from snapshots where stream = (select id from names where name = ?)", stream);
}

/** Unlink the blob files that a committed erasure has named; at start as well, in case the last one was interrupted. */
export function finishRemovals(tx: Statements, folder: string): void {
  const hashes = tx.all<{ hash: string }>("select hash from removals").map(({ hash }) => hash);
  if (hashes.length === 0) return;
  removeBlobFiles(folder, hashes);
  tx.run("delete from removals");
}

/** Empty the WAL: it holds the pages as they were before. False when a reader kept it from being emptied in time. */
export async function truncateWal(db: Database, patienceMs = 5000): Promise<boolean> {
  const RETRY_MS = 20;
  for (let waited = 0; ; waited += RETRY_MS) {
    if (pragma(db, "wal_checkpoint(truncate)")["busy"] === 0) return true;
    if (waited >= patienceMs) return false;
    await Bun.sleep(RETRY_MS);
  }
}
