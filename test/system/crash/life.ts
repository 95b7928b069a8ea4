/** One data folder, started and killed again and again; after each kill the log is compared with the records of client and server. */
import { existsSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { eventDefinitions } from "../../../events/all.ts";
import { verify } from "../../../src/audit/verify.ts";
import { projections } from "../../../src/log/projections/all.ts";
import { DATABASE, openReader } from "../../../src/log/reader.ts";
import { type Gateway, type Place, startGateway } from "./gateway.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { type Client, clientOf } from "./load.ts";
import { FAILPOINTS, type Kill } from "./plan.ts";
import type { Random } from "./random.ts";
import { diedInCheckpoint } from "./wal-index.ts";

/** What one kill was. */
export interface Killed {
  readonly kill: Kill;
  /** The failpoint was reached, or the moment met. */
  readonly hit: boolean;
  readonly mutatingInFlight: number;
  /** Undefined when it did not come so far. */
  readonly readyMs: number | undefined;
}
export interface Life {
  readonly killed: readonly Killed[];
  readonly ledger: Ledger;
  readonly client: Client;
  readonly violations: readonly string[];
}

/** A failpoint that is not reached in this time of serving is given up, and the process is killed from outside. */
const PATIENCE_MS = 5000;
const VERIFY_EVERY = 10;

const isFailpoint = (point: string): boolean => (FAILPOINTS as readonly string[]).includes(point);
const linesOf = (file: string): string[] => readFileSync(file, "utf8").split("\n").filter(Boolean);

export async function liveThrough(binary: string, place: Place, name: string, plan: readonly Kill[], random: Random): Promise<Life> {
  const ledger = createLedger();
  const client = clientOf(name, random);
  const killed: Killed[] = [];
  const violations: string[] = [];
  let checked = 0;
  let acted = 0;

  const check = () => {
    const answers = client.acknowledged.slice(checked);
    checked = client.acknowledged.length;
    readOn(place, ledger);
    ledger.checkAcknowledged(answers);
    const acts = linesOf(place.acts);
    ledger.noteActs(acts.slice(acted));
    acted = acts.length;
  };
  const sound = async (when: string) => {
    const { verdict, detail } = await verify(place.data, { projections, definitions: eventDefinitions });
    if (verdict !== "sound") violations.push(`verify after ${when}: ${verdict}: ${detail}`);
  };

  for (const [index, kill] of plan.entries()) {
    const when = `kill ${index} (${kill.point}:${kill.n}) of ${name}`;
    const gateway = startGateway(binary, place, isFailpoint(kill.point) ? `${kill.point}:${kill.n}` : undefined);
    const head = ledger.position;
    const before = ledger.violations.length + violations.length;
    const running = gateway.url.then((url) => (url === undefined ? undefined : client.run(url)));
    const byItself = await untilDead(gateway, kill, place);
    await running;
    const inCheckpoint = diedInCheckpoint(place.data);
    if (existsSync(join(place.data, DATABASE))) {
      check();
      if (index % VERIFY_EVERY === VERIFY_EVERY - 1) await sound(when);
    }
    if (gateway.signal() !== "SIGKILL" && kill.point !== "stopping") violations.push(`${when}: it ended by itself: ${gateway.output()}`);
    const hit = isFailpoint(kill.point) ? byItself : kill.point === "in_checkpoint" ? inCheckpoint : gateway.signal() === "SIGKILL";
    killed.push({ kill, hit, mutatingInFlight: ledger.mutatingInFlight(head), readyMs: gateway.readyMs() || undefined });
    for (const violation of [...ledger.violations, ...violations].slice(before)) console.error(`${when}: ${violation}`);
    if (ledger.violations.length + violations.length > before) break;
  }
  await endWell(binary, place, violations);
  check();
  ledger.checkEnds();
  await sound("the end");
  return { killed, ledger, client, violations: [...violations, ...ledger.violations, ...client.strange] };
}

/** True when the process ended itself at its failpoint. */
async function untilDead(gateway: Gateway, { point, n }: Kill, place: Place): Promise<boolean> {
  if (point === "starting") {
    await Promise.race([Bun.sleep(n), gateway.ended]);
    gateway.kill("SIGKILL");
  } else if (isFailpoint(point)) {
    await gateway.url; // a busy machine takes its time to start, which says nothing about the point
    await Promise.race([gateway.ended, Bun.sleep(PATIENCE_MS)]);
    const byItself = gateway.hasEnded();
    gateway.kill("SIGKILL");
    await gateway.ended;
    return byItself;
  } else if ((await gateway.url) !== undefined) {
    await Bun.sleep(50); // the load begins
    if (point === "in_checkpoint") await databaseChanges(join(place.data, DATABASE));
    if (point === "random") await Bun.sleep(n);
    if (point === "stopping") {
      gateway.kill("SIGTERM");
      await Promise.race([Bun.sleep(n), gateway.ended]);
    }
    gateway.kill("SIGKILL");
  }
  await gateway.ended;
  return false;
}

/** Only a checkpoint writes to the database's file: the first page of one is told at once. */
function databaseChanges(file: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(file, () => done());
    const patience = setTimeout(() => done(), PATIENCE_MS);
    const done = () => {
      clearTimeout(patience);
      watcher.close();
      resolve();
    };
  });
}

/** A last start, with nothing asked of it, and a clean end; nothing of earlier starts lives on. */
async function endWell(binary: string, place: Place, violations: string[]): Promise<void> {
  const gateway = startGateway(binary, place);
  if ((await gateway.url) === undefined) return void violations.push(`the last start failed: ${gateway.output()}`);
  const alive = linesOf(place.pids).map(Number).filter(isActServer);
  if (alive.length > 1) violations.push(`${alive.length} servers are alive, one is configured`);
  gateway.kill("SIGTERM");
  await gateway.ended;
}

function isActServer(pid: number): boolean {
  const file = `/proc/${pid}/cmdline`;
  try {
    return readFileSync(file, "utf8").includes("act-server.ts");
  } catch {
    return false; // it has ended
  }
}

function readOn(place: Place, ledger: Ledger): void {
  const PAGE = 2000;
  const reader = openReader(place.data, eventDefinitions);
  try {
    for (;;) {
      const events = reader.page({ after: ledger.position, limit: PAGE });
      ledger.fold(events);
      if (events.length < PAGE) return;
    }
  } finally {
    reader.close();
  }
}
