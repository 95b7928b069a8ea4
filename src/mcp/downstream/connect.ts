/** The one way to a downstream server. */
import type { Downstream, Target } from "./downstream.ts";
import { connectHttp } from "./http.ts";
import type { ConnectOptions } from "./options.ts";
import { connectStdio } from "./stdio.ts";

/** Connects to a server and shakes hands. Rejects with an Error that says what happened and what to do; nothing is left running then. */
export function connect(target: Target, options: ConnectOptions): Promise<Downstream> {
  return target.kind === "stdio" ? connectStdio(target, options) : orGivenUp(connectHttp(target, options), options.signal);
}

/** Nothing runs on this machine for it, so it is not waited for: what it still brings is closed. */
async function orGivenUp(connecting: Promise<Downstream>, signal: AbortSignal | undefined): Promise<Downstream> {
  if (!signal) return connecting;
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const giveUp = () => {
    connecting.then(
      (made) => made.close(),
      () => undefined,
    );
    reject(new Error("The attempt was given up."));
  };
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([connecting, givenUp]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
