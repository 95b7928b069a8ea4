/** Many calls through one system with its memory written down on the way: does it grow? */
import { callEcho, findEcho } from "./measure.ts";
import { makeClient } from "./peers/client.ts";
import { usage } from "./processes.ts";
import { withSystem } from "./started.ts";
import type { System } from "./systems.ts";

export interface Soak {
  readonly system: string;
  readonly calls: number;
  readonly callsPerSecond: number;
  /** Resident memory in MiB before the first call and after every twentieth of the calls. */
  readonly rssMiB: readonly number[];
}

const IN_FLIGHT = 16;
const PARTS = 20;

/** Makes `calls` calls at 16 in flight; throws on the first call that fails or answers wrongly. */
export function soak(system: System, calls: number): Promise<Soak> {
  return withSystem(system, async ({ pid, target }) => {
    const client = makeClient(target);
    await client.initialize();
    const tool = await findEcho(client);
    if (tool === undefined) throw new Error(`${system.key} lists no echo tool`);
    const rssMiB = [usage(pid).rssMiB];
    const start = performance.now();
    let made = 0;
    const worker = async (last: number): Promise<void> => {
      while (made < last) await callEcho(client, tool, `soak ${made++}`);
    };
    for (let part = 1; part <= PARTS; part++) {
      const last = Math.round((calls * part) / PARTS);
      await Promise.all(Array.from({ length: IN_FLIGHT }, () => worker(last)));
      rssMiB.push(usage(pid).rssMiB);
    }
    client.close();
    return { system: system.key, calls, callsPerSecond: calls / ((performance.now() - start) / 1000), rssMiB };
  });
}
