/** What follows a commit and no turn waits for: the checkpoint, and the anchor. */
import type { Head } from "../runtime/event-log.ts";
import type { Anchor } from "./anchor.ts";
import type { Checkpointer } from "./checkpoint.ts";
import { codeOf } from "./failure.ts";
import { syncFile } from "./files.ts";

/** One commit alone is anchored after this time, which leaves 30 ms to write the file. */
const DELAY_MS = 70;
/** Under load there is one round in this time. */
const SPACING_MS = 95;

export interface Housekeeping {
  /** Something was committed. */
  soon(): void;
  /** No round runs and none will. */
  stop(): Promise<void>;
}

export interface HousekeepingParts {
  readonly head: () => Head;
  /** The WAL's file. */
  readonly wal: string;
  readonly anchor: Anchor;
  readonly checkpoints: Checkpointer;
  readonly failpoint: (name: string) => void;
  readonly onFailure: (error: unknown) => void;
}

export function housekeeping({ head, wal, anchor, checkpoints, failpoint, onFailure }: HousekeepingParts): Housekeeping {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;
  let last = 0;
  let again = false;
  let stopped = false;

  /** The anchor never names what a power cut could still take: a NORMAL commit is not on the disk before its WAL is synced. */
  const round = async () => {
    const now = head();
    await syncFile(wal);
    failpoint("before_anchor");
    await anchor.write(now);
  };

  const start = () => {
    timer = undefined;
    last = performance.now();
    failpoint("before_checkpoint");
    void checkpoints.run(); // reports its own failure, and may take longer than the anchor can wait
    running = round()
      .catch((error) => {
        if (codeOf(error) !== "ENOSPC") onFailure(error); // a full disk is told by the next commit, which has a reserve
      })
      .finally(() => {
        running = undefined;
        if (again) soon();
      });
  };

  const soon = () => {
    if (stopped || timer !== undefined) return;
    again = running !== undefined;
    if (again) return;
    timer = setTimeout(start, Math.max(DELAY_MS, last + SPACING_MS - performance.now()));
    timer.unref();
  };

  return {
    soon,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
      await checkpoints.stop();
    },
  };
}
