/** Watches the space left for the log: with little of it nothing that may act is admitted, so that what runs can still settle. */
import { type OpenCalls, settled } from "../calls/open-calls.ts";
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

/** With a full disk, calls in flight get so long to settle in the reserve. */
const FULL_GRACE_MS = 10_000;

/** No call is admitted any more; the process ends when what runs has settled. */
export function stopWhenFull(
  space: Pick<ReturnType<typeof watchSpace>, "runOut">,
  openCalls: Pick<OpenCalls, "size">,
  say: (line: string) => void,
): void {
  space.runOut();
  say("the disk is full: no call is admitted any more; stopping as soon as what runs has settled");
  void settled(openCalls, FULL_GRACE_MS).then(() => process.exit(70));
}
