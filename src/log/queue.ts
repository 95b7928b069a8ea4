/** The turns that wait for a commit: flushed once an event-loop turn, and what happens when that fails. */

import type { Encoded } from "./encode.ts";
import { isDiskFull } from "./failure.ts";
import { GROUP_LIMIT, type Writer } from "./writer.ts";

export interface QueueParts {
  readonly writer: Writer;
  /** Write rows that ride along with a commit, up to the position of its last event. */
  readonly beside: (position: number) => void;
  /** Called after each commit with its batches. */
  readonly committed: (group: readonly Encoded[]) => void;
  /** Give space back; false if there is none. */
  readonly makeRoom: () => boolean;
  readonly onFailure: (error: unknown) => void;
  readonly onDiskFull: (() => void) | undefined;
  /** True when nobody else is about to append: there is no group to wait for. */
  readonly isAlone: () => boolean;
}

export interface Queue {
  push(batch: Encoded): Promise<void>;
  /** Commit one batch at once with rows of its own, after everything that waits. */
  now(batch: Encoded, beside: () => void): Promise<void>;
  /** Commit everything that waits, now. False when the log has failed. */
  drain(): boolean;
  /** End in failure: nothing is written any more and no waiting promise settles. */
  fail(error: unknown): void;
  readonly failed: boolean;
  readonly diskFull: boolean;
}

interface Waiting {
  readonly batch: Encoded;
  readonly done: () => void;
  readonly beside?: () => void;
}

export function queueOf({ writer, beside, committed, makeRoom, onFailure, onDiskFull, isAlone }: QueueParts): Queue {
  let waiting: Waiting[] = [];
  let scheduled = false;
  let failed = false;
  let diskFull = false;

  const fail = (error: unknown) => {
    if (failed) return;
    failed = true;
    waiting = [];
    onFailure(error);
  };

  /** Tried once more when the disk was full and the reserve gave space: rows are final, so it is the same transaction again. */
  const commit = (group: readonly Encoded[], rows: (position: number) => void) => {
    try {
      writer.commit(group, rows);
    } catch (error) {
      if (!isDiskFull(error) || !makeRoom()) throw error;
      diskFull = true;
      writer.commit(group, rows);
    }
  };

  const flushOne = () => {
    const group = waiting.slice(0, GROUP_LIMIT);
    const before = diskFull;
    try {
      commit(
        group.map(({ batch }) => batch),
        (position) => {
          beside(position);
          for (const { beside: own } of group) own?.();
        },
      );
    } catch (error) {
      fail(error);
      return;
    }
    waiting = waiting.slice(GROUP_LIMIT);
    committed(group.map(({ batch }) => batch));
    for (const { done } of group) done();
    if (diskFull && !before) noSpace();
  };

  const noSpace = () => {
    if (onDiskFull === undefined) fail(new Error("the disk is full: what was decided is stored; free some space and start again"));
    else onDiskFull();
  };

  const drain = () => {
    while (waiting.length > 0) flushOne();
    return !failed;
  };

  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      if (waiting.length === 0) return;
      flushOne();
      if (waiting.length > 0) schedule();
    });
  };

  return {
    push(batch) {
      return new Promise((done) => {
        if (failed) return;
        waiting.push({ batch, done });
        if (isAlone()) drain();
        else schedule();
      });
    },
    now(batch, own) {
      return new Promise((done) => {
        if (failed) return;
        waiting.push({ batch, done, beside: own });
        drain();
      });
    },
    drain,
    fail,
    get failed() {
      return failed;
    },
    get diskFull() {
      return diskFull;
    },
  };
}
