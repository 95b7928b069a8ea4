/** A signal to stop, for the two that every call has: what an `AbortSignal` says, without an event target behind it. */

/** Any `AbortSignal` is one. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
export interface Stop {
  readonly signal: StopSignal;
  /** Tells every listener, once. */
  abort(reason: unknown): void;
}

export function createStop(): Stop {
  const listeners: (() => void)[] = [];
  let aborted = false;
  let why: unknown;
  return {
    signal: {
      get aborted() {
        return aborted;
      },
      get reason() {
        return why;
      },
      addEventListener: (_, listener) => void listeners.push(listener),
      removeEventListener(_, listener) {
        const at = listeners.indexOf(listener);
        if (at >= 0) listeners.splice(at, 1);
      },
    },
    abort(reason) {
      if (aborted) return;
      aborted = true;
      why = reason;
      for (const listener of listeners.splice(0)) listener();
    },
  };
}
