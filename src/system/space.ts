/** Watches the space left for the log: with little of it nothing that may act is admitted, so that what runs can still settle. */
import { MIN_FREE_BYTES } from "../doors/health.ts";

export interface Space {
  /** Why no call that may act can be admitted now. */
  closedFor(): string | undefined;
  /** The log is using its reserve. */
  runOut(): void;
  check(): void;
}

export const SPACE_CHECK_MS = 2000;

export function watchSpace(freeBytes: () => number | undefined): Space {
  let isLow = false;
  let isOut = false;
  const check = () => {
    const free = freeBytes();
    isLow = free !== undefined && free < MIN_FREE_BYTES;
  };
  check();
  return {
    closedFor: () =>
      isOut
        ? "the disk is full; toolcrib stops as soon as what runs has settled"
        : isLow
          ? "the disk is nearly full; the operator has to make room"
          : undefined,
    runOut() {
      isOut = true;
    },
    check,
  };
}
