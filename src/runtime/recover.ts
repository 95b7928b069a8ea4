/** After a start, before the doors open: every actor settles what a crash left open. No call is repeated. */
import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { kindOf, nameOf, QUESTIONS, serverAddress, sessionAddress } from "../../actors/address.ts";
import type { Command } from "./event-log.ts";
import type { Runtime } from "./turn.ts";

/** After this many starts that ended while the same address was being recovered it is skipped. */
const MAX_ATTEMPTS = 3;

/** The open rows of the log's projections: who has something to settle. */
export interface OpenWork {
  readonly sessions: readonly string[];
  readonly servers: readonly string[];
}

export interface Recovered {
  /** Addresses that were skipped since they keep ending the process: their open calls are in doubt. */
  readonly skipped: readonly string[];
}

interface Guard {
  readonly address: string;
  readonly attempts: number;
}

/** Sessions first (nobody waits there any more), then servers (what was in flight is settled and announced), then what was asked on their connections. */
export async function recover(runtime: Runtime, open: OpenWork, guardFile: string | undefined): Promise<Recovered> {
  const before = guardFile ? readGuard(guardFile) : undefined;
  const guard = guardFile ? openGuard(guardFile) : undefined;
  const servers = new Set([...runtime.catalogue().servers.values()].map(({ name }) => serverAddress(name)));
  for (const server of open.servers) servers.add(serverAddress(server));
  const skipped: string[] = [];
  for (const address of [...open.sessions.map(sessionAddress), ...servers, QUESTIONS]) {
    const attempts = before?.address === address ? before.attempts + 1 : 1;
    if (attempts > MAX_ATTEMPTS) {
      skipped.push(address);
      // A server that does not know what it has in flight would let twins pass. A session still has to hear how its calls end.
      if (kindOf(address) === "server") runtime.actors.setAside(address);
      continue;
    }
    await recoverOne(runtime, address, () => guard?.write({ address, attempts }));
  }
  guard?.close();
  if (guardFile && skipped.length === 0) rmSync(guardFile, { force: true });
  for (const address of skipped) {
    const error = `skipped: ${MAX_ATTEMPTS} starts ended while ${nameOf(address)} was being recovered; its open calls are in doubt`;
    await runtime.enter("system", { type: "fail", to: address, command: "recover", error });
  }
  return { skipped };
}

async function recoverOne(runtime: Runtime, address: string, guard: () => void): Promise<void> {
  const actor = runtime.actors.actorAt(address);
  // The guard is written before the state is folded: a fold that ends the process is found again at the next start.
  guard();
  const commands: readonly Command[] = actor.recover(runtime.stateOf(address));
  for (const command of commands) await runtime.enter(address, command);
}

function readGuard(file: string): Guard | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Guard;
  } catch {
    return undefined; // no start was cut short
  }
}

/**
 * Written over in one place, and left to the system to bring to the disk: what has to be found again is the end of this process, and there may
 * be thousands of addresses.
 */
function openGuard(file: string) {
  const descriptor = openSync(file, "w", 0o600);
  let longest = 0;
  return {
    write(guard: Guard): void {
      const text = JSON.stringify(guard).padEnd(longest);
      longest = text.length;
      writeSync(descriptor, text, 0);
    },
    close: () => closeSync(descriptor),
  };
}
