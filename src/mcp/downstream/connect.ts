/** The one way to a downstream server. */
import type { Downstream, Target } from "./downstream.ts";
import { connectHttp } from "./http.ts";
import type { ConnectOptions } from "./options.ts";
import { connectStdio } from "./stdio.ts";

/** Connects to a server and shakes hands. Rejects with an Error that says what happened and what to do; nothing is left running then. */
export function connect(target: Target, options: ConnectOptions): Promise<Downstream> {
  return target.kind === "stdio" ? connectStdio(target, options) : connectHttp(target, options);
}
