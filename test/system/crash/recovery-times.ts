/** How long the program takes from its start to serving, on a log of so many events that a kill -9 left with calls in flight. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { makePlace, startGateway } from "./gateway.ts";

export interface Recovery {
  readonly events: number;
  readonly snapshots: boolean;
  /** Making the log, s. */
  readonly generated: number;
  /** The first start settles the calls in flight; further ones, each after a kill -9, find less to do. Ms. */
  readonly readyMs: readonly number[];
}

const STARTS = 3;

/** Throws when the log cannot be made or a start fails. */
export async function measureRecovery(binary: string, events: number, snapshots: boolean): Promise<Recovery> {
  const place = makePlace();
  try {
    const began = performance.now();
    const command = [process.execPath, join(import.meta.dir, "generate-log.ts"), place.data, `${events}`, snapshots ? "snapshots" : "none"];
    const generator = Bun.spawn(command, { stdio: ["ignore", "pipe", "inherit"] });
    const made = Number(await new Response(generator.stdout).text());
    await generator.exited;
    if (!(made >= events)) throw new Error(`the log has ${made} events instead of ${events}`);
    const generated = (performance.now() - began) / 1000;
    const readyMs: number[] = [];
    for (let start = 0; start < STARTS; start++) {
      const gateway = startGateway(binary, place);
      if ((await gateway.url) === undefined) throw new Error(`the start on ${events} events failed:\n${gateway.output()}`);
      readyMs.push(Math.round(gateway.readyMs()));
      gateway.kill(start === STARTS - 1 ? "SIGTERM" : "SIGKILL");
      await gateway.ended;
    }
    return { events: made, snapshots, generated, readyMs };
  } finally {
    rmSync(place.root, { recursive: true, force: true });
  }
}

/** One line for people. */
export function recoveryLine({ events, snapshots, generated, readyMs }: Recovery): string {
  const kind = snapshots ? "with snapshots" : "without snapshots";
  return `${events.toLocaleString("en")} events ${kind}: ready after ${readyMs.join(" / ")} ms (made in ${generated.toFixed(1)} s)`;
}
