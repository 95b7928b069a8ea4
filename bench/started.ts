/** Starts one system of the bench, waits until it serves the echo tool, lends it out and ends it again. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { callEcho, findEcho } from "./measure.ts";
import type { LoadClient, Target } from "./peers/client.ts";
import { makeClient } from "./peers/client.ts";
import type { Running } from "./processes.ts";
import { freePort, start } from "./processes.ts";
import type { System } from "./systems.ts";
import { REPOSITORY } from "./systems.ts";

export interface Started {
  readonly pid: number;
  readonly target: Target;
  /** From spawn to 200 on the ready path; undefined for systems without one. */
  readonly readyMs?: number;
  /** From spawn to the first good call of the echo tool. */
  readonly firstCallMs: number;
}

const GIVE_UP_MS = 20_000;

/** Asks again every few milliseconds until `attempt` gives a value; what it throws counts as "not yet". */
async function poll<T>(running: Running, name: string, attempt: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + GIVE_UP_MS;
  for (let last: unknown = "no answer"; ; await Bun.sleep(5)) {
    try {
      const value = await attempt();
      if (value !== undefined) return value;
    } catch (error) {
      last = error;
    }
    if (running.hasEnded()) throw new Error(`${name} ended at its start:\n${running.output()}`);
    if (performance.now() > end) throw new Error(`${name} did not serve echo within 20 s (${String(last)}):\n${running.output()}`);
  }
}

/** One attempt after the other on one session, so that waiting for a slow downstream does not leave a heap of sessions behind. */
function echoAttempts(target: Target): { attempt(): Promise<true | undefined>; close(): void } {
  let client: LoadClient | undefined;
  return {
    async attempt() {
      if (client === undefined) {
        const fresh = makeClient(target);
        await fresh.initialize().catch((error: unknown) => {
          fresh.close();
          throw error;
        });
        client = fresh;
      }
      const tool = await findEcho(client);
      if (tool === undefined) return undefined;
      await callEcho(client, tool, "ready?");
      return true;
    },
    close: () => client?.close(),
  };
}

/** Runs `use` with the system up; the system and its folder are gone afterwards, however that ended. */
export async function withSystem<T>(system: System, use: (started: Started) => Promise<T>): Promise<T> {
  const results = join(REPOSITORY, "bench", "results");
  mkdirSync(results, { recursive: true });
  const folder = mkdtempSync(join(results, "run-"));
  const { argv, env, target } = system.prepare({ port: await freePort(), folder });
  const spawned = performance.now();
  const running = start(argv, { cwd: folder, logFile: join(folder, "output.log"), ...(env && { env }) });
  try {
    let readyMs: number | undefined;
    if (system.readyPath !== undefined) {
      const url = new URL(system.readyPath, target.url);
      await poll(running, system.key, async () => ((await fetch(url)).status === 200 ? true : undefined));
      readyMs = performance.now() - spawned;
    }
    const echo = echoAttempts(target);
    await poll(running, system.key, echo.attempt).finally(echo.close);
    const firstCallMs = performance.now() - spawned;
    return await use({ pid: running.pid, target, firstCallMs, ...(readyMs !== undefined && { readyMs }) });
  } finally {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
