/** So many at the same time, the others one after the other. */

export interface Slots {
  /** Resolves with the way to give it back, or undefined when `signal` was aborted before there was one. */
  take(signal: AbortSignal): Promise<(() => void) | undefined>;
}

export function createSlots(atOnce: number): Slots {
  const waiting: (() => void)[] = [];
  let taken = 0;
  const giveBack = () => {
    const next = waiting.shift();
    if (next) next();
    else taken--;
  };
  return {
    async take(signal) {
      if (signal.aborted) return undefined;
      if (taken < atOnce) {
        taken++;
        return giveBack;
      }
      const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>();
      const enter = () => resolve(giveBack);
      waiting.push(enter);
      signal.addEventListener(
        "abort",
        () => {
          const at = waiting.indexOf(enter);
          if (at < 0) return;
          waiting.splice(at, 1);
          resolve(undefined);
        },
        { once: true },
      );
      return promise;
    },
  };
}
