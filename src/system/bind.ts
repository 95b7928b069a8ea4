/** Takes the address the daemon listens on, or says in words why it cannot be had. */
import { codeOf } from "../log/failure.ts";

const WHY: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there; stop it",
  EADDRNOTAVAIL: "this machine has no such address; correct it",
  EACCES: "this user may not listen there; take a port above 1023",
};
const ANOTHER = "or take another address with --listen HOST:PORT or `listen` in the configuration (a port of 0 takes a free one)";

/** `orAnother`: when the port is taken, any other will do. Throws an Error with the system's code, whose message names the address. */
export function bindAddress<S>(bind: (port: number) => S, host: string, port: number, orAnother: boolean): S {
  try {
    return bind(port);
  } catch (error) {
    const code = codeOf(error);
    if (orAnother && code === "EADDRINUSE") return bind(0);
    const why = WHY[code] ?? `${code || String(error)}; look at the address`;
    throw Object.assign(new Error(`cannot listen on ${host}:${port}: ${why}, ${ANOTHER}`, { cause: error }), { code });
  }
}
