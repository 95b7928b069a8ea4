/** Waiting for the end of an open call: settled once, and the session hears of it when nobody waits any more. */
import { sessionAddress } from "../../actors/address.ts";
import type { StopSignal } from "../mcp/stop.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { CallEnd, OpenCall, Waiter } from "./open-calls.ts";

/** Whose answer it will be, and what its request to us brings along. */
export type Waiting = Pick<OpenCall, "onProgress" | "askPerson" | "answered" | "abilities" | "elicit"> & {
  readonly session: string;
  readonly signal?: StopSignal;
  /** Why it has left, where its signal does not say so. */
  readonly left?: () => unknown;
};

/** `resolve` is told the end in the same tick. The call goes on when the one who waits leaves, unless that is a cancel. */
export function listenWith(
  open: OpenCall,
  { session, signal, left = () => signal?.reason }: Pick<Waiting, "session" | "signal" | "left">,
  enter: Runtime["enter"],
  resolve: (end: CallEnd) => void,
): void {
  const waiter: Waiter = {
    session,
    answer(end) {
      signal?.removeEventListener("abort", leave);
      resolve(end);
    },
  };
  const leave = () => {
    if (!open.waiters.delete(waiter)) return;
    resolve({ call: open.id, certainty: "in_doubt", code: "cancelled", reason: "nobody waits for it any more", notices: [] });
    if (open.waiters.size > 0) return;
    open.left = left();
    const command = open.left === "cancelled" ? { type: "cancel", call: open.id, by: "client" } : { type: "leave", call: open.id };
    enter(sessionAddress(open.session), command).catch(() => undefined); // recorded as turn.failed
  };
  signal?.addEventListener("abort", leave, { once: true });
  open.waiters.add(waiter);
}

export const listen = (open: OpenCall, waiting: Waiting, enter: Runtime["enter"]): Promise<CallEnd> =>
  new Promise((resolve) => listenWith(open, waiting, enter, resolve));
