/** The event log: one append is one atomic turn, durable when its promise resolves, or the process ends. */
import type { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { EventDefinition } from "../../events/define.ts";
import type { EventLog } from "../runtime/event-log.ts";
import { diskOf } from "./disk.ts";
import { type Encoded, encoderOf } from "./encode.ts";
import { applyErasure, type Erased, type ErasureRequest, erasureBatch, planErasure } from "./erasure.ts";
import { isDiskFull } from "./failure.ts";
import { sha256 } from "./hash.ts";
import { lockFolder } from "./lock.ts";
import { namesOf } from "./names.ts";
import { type Projection, rebuild } from "./projection.ts";
import { sessionId } from "./projections/session-id.ts";
import { queueOf } from "./queue.ts";
import { DATABASE, type Reader, readerOf } from "./reader.ts";
import { RESERVE_BYTES, releaseReserve, reserve } from "./reserve.ts";
import { openForWriting } from "./schema.ts";
import { sideRows } from "./side-rows.ts";
import { type Statements, statementsOf } from "./statements.ts";
import { turnsAfter } from "./turns.ts";
import { writerOf } from "./writer.ts";

export interface LogOptions {
  /** The data folder, made if it is missing, or ":memory:". */
  readonly path: string;
  readonly projections: readonly Projection[];
  readonly definitions: ReadonlyMap<string, EventDefinition>;
  /** Digest of the running program, and its release: stored with each turn. */
  readonly build: string;
  readonly version: string;
  /** The log is unusable from here on: memory is ahead of the disk. By default one line on stderr and exit code 70. */
  readonly onFailure?: (error: unknown) => void;
  /** The disk is full; what was queued is committed with the space of the reserve. Stop admitting calls, let those in flight settle, then exit 70. Without a hook the log fails at once. */
  readonly onDiskFull?: () => void;
  /** Bytes held back for that moment; 0 for none. */
  readonly reserveBytes?: number;
  /** True when nobody else is about to append: then a turn does not wait for others to share its commit. */
  readonly isAlone?: () => boolean;
  /** Called at the named steps of a commit; tests end the process there. */
  readonly failpoint?: (name: string) => void;
}

export interface Log extends EventLog, Reader {
  /** Store the JSON of a definition under its SHA-256 (hex), with the next append at the latest. Throws when `hash` is not that. */
  define(hash: string, json: string): void;
  /** Free the memory of a stream. False, and nothing happens, while events of it wait for their commit. */
  forget(stream: string): boolean;
  /** Erase the free values of a session for good and record it as `payload.erased` on the stream "system". Actors' states in memory are the caller's to drop. Throws when a reader holds the WAL for more than 5 s: what was erased can then still be read from it until the next erasure or clean stop. */
  erase(request: ErasureRequest): Promise<Erased>;
  /** What was wrong with the anchor when the log was opened, for people: the log may have lost its end. */
  readonly anchorProblem: string | undefined;
  /** The reserve is in use: calls in flight may still settle, nothing new should be admitted. */
  readonly diskFull: boolean;
  /** Commit what waits and give the folder back. The log cannot be used afterwards. */
  close(): Promise<void>;
}

/** Open the log of a data folder for writing, as its only writer. Throws a `LogError`. Projections are brought up to date before it returns. */
export function openLog(options: LogOptions): Log {
  const folder = options.path === ":memory:" ? undefined : options.path;
  if (folder === undefined) return openIn(options, folder, () => {});
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(folder);
  try {
    return openIn(options, folder, lock.release);
  } catch (error) {
    lock.release();
    throw error;
  }
}

function openIn(options: LogOptions, folder: string | undefined, release: () => void): Log {
  const db = openForWriting(folder === undefined ? ":memory:" : join(folder, DATABASE), options.failpoint ?? (() => {}));
  const tx = statementsOf(db);
  try {
    return logOver(db, tx, options, folder, release);
  } catch (error) {
    tx.finalize();
    db.close();
    throw error;
  }
}

function logOver(db: Database, tx: Statements, options: LogOptions, folder: string | undefined, release: () => void): Log {
  const { projections, definitions, build, version, failpoint = () => {} } = options;
  const reader = readerOf(db, tx, definitions, folder);
  let head = reader.head;
  rebuild(db, tx, projections, head.position, () => turnsAfter(tx, definitions, 0));
  const disk =
    folder === undefined
      ? undefined
      : diskOf({ db, tx, folder, reader, failpoint, head: () => head, onFailure: (error) => queue.fail(error) });
  if (folder !== undefined) reserve(folder, options.reserveBytes ?? RESERVE_BYTES);
  const encoder = encoderOf(tx, namesOf(tx), { build, version }, head);
  const side = sideRows(tx);
  const writer = writerOf({ db, tx, projections, build: { build, version }, folder, failpoint });
  const committed = (group: readonly Encoded[]) => {
    head = group.at(-1)?.head ?? head;
    side.written(head.position);
    disk?.committed();
  };
  const queue = queueOf({
    writer,
    beside: side.write,
    committed,
    makeRoom: () => folder !== undefined && releaseReserve(folder),
    onFailure: options.onFailure ?? exit,
    onDiskFull: options.onDiskFull,
    isAlone: options.isAlone ?? (() => false),
  });
  const unsettled = (stream: string) => encoder.lastPosition(stream) > head.position;

  return {
    ...reader,
    anchorProblem: disk?.anchorProblem,
    get head() {
      return head;
    },
    append(batch) {
      if (batch.events.length === 0) return Promise.resolve();
      try {
        return queue.push(encoder.encode(batch));
      } catch (error) {
        queue.fail(error);
        return new Promise(() => {});
      }
    },
    read(stream, after) {
      if (unsettled(stream)) queue.drain(); // never older than what this process has decided
      return reader.read(stream, after);
    },
    snapshot: (stream) => side.snapshot(stream) ?? reader.snapshot(stream),
    saveSnapshot: (snapshot) => side.saveSnapshot(snapshot, encoder.tail.position),
    define(hash, json) {
      if (sha256(json) !== hash) throw new Error(`a definition must be stored under the SHA-256 of its JSON, not under ${hash}`);
      side.define(hash, json);
    },
    definition: (hash) => side.definition(hash) ?? reader.definition(hash),
    forget(stream) {
      if (unsettled(stream)) return false;
      encoder.forget(stream);
      return true;
    },
    async erase(request) {
      queue.drain();
      const session = sessionId(request.session);
      const plan = planErasure(tx, session);
      const { batch, erased } = erasureBatch(request, session, plan, encoder.tail);
      for (const stream of plan.streams) side.dropSnapshot(stream);
      await queue.now(encoder.encode(batch), () => applyErasure(tx, plan));
      await disk?.purge();
      return erased;
    },
    get diskFull() {
      return queue.diskFull;
    },
    async close() {
      try {
        if (queue.drain() && side.waiting) db.transaction(() => side.write(head.position))();
        await disk?.stop();
        if (!queue.failed) disk?.anchor(head);
      } finally {
        tx.finalize();
        db.close();
        release();
      }
    },
  };
}

/** Memory is ahead of the disk: going on would answer for what is not stored. Restarting from the log is always right. */
function exit(error: unknown): never {
  const what = error instanceof Error ? error.message : String(error);
  const next = isDiskFull(error) ? "; the disk is full: free some space and start again" : "";
  process.stderr.write(`toolcrib: the log cannot be written, stopping: ${what}${next}\n`);
  process.exit(70);
}
