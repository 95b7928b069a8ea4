/** What a log in a folder has beside its tables: the anchor, the checkpoint thread, and blob files that are to be unlinked. */
import type { Database } from "bun:sqlite";
import { join } from "node:path";
import type { Head } from "../runtime/event-log.ts";
import { anchorOf, checkAnchor } from "./anchor.ts";
import { checkpointer } from "./checkpoint.ts";
import { finishRemovals, truncateWal } from "./erasure.ts";
import { housekeeping } from "./housekeeping.ts";
import { DATABASE, type Reader } from "./reader.ts";
import { pragma, type Statements } from "./statements.ts";

export interface DiskParts {
  readonly db: Database;
  readonly tx: Statements;
  readonly folder: string;
  readonly reader: Reader;
  readonly head: () => Head;
  readonly failpoint: (name: string) => void;
  readonly onFailure: (error: unknown) => void;
}

export interface Disk {
  readonly anchorProblem: string | undefined;
  /** Something was committed: anchor it soon, checkpoint soon. */
  committed(): void;
  /** Take what was erased out of the WAL and out of the blob folder. */
  purge(): Promise<void>;
  /** End the thread and empty the WAL, before the connection closes. */
  stop(): Promise<void>;
  anchor(head: Head): void;
}

export function diskOf({ db, tx, folder, reader, head, failpoint, onFailure }: DiskParts): Disk {
  const path = join(folder, DATABASE);
  const hashAt = (position: number) =>
    position === 0
      ? reader.genesis
      : tx.get<{ hash: string }>("select lower(hex(hash)) as hash from events where position = ?", position)?.hash;
  const anchorProblem = checkAnchor(folder, head(), hashAt);
  finishRemovals(tx, folder);
  const anchor = anchorOf(folder, reader.id);
  anchor.writeSync(head());
  const checkpoints = checkpointer(path, () => void pragma(db, "wal_autocheckpoint=1000"));
  const keeper = housekeeping({ head, wal: `${path}-wal`, anchor, checkpoints, failpoint, onFailure });
  return {
    anchorProblem,
    committed: keeper.soon,
    async purge() {
      failpoint("before_purge");
      finishRemovals(tx, folder);
      if (!(await truncateWal(db)))
        throw new Error(
          "the payloads are erased, but a reader keeps the old pages in the WAL: end it and stop the program, or erase again",
        );
    },
    async stop() {
      await keeper.stop();
      pragma(db, "wal_checkpoint(truncate)");
    },
    anchor: anchor.writeSync,
  };
}
