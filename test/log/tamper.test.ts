/** Tampering: whatever byte of a log is changed and wherever its end is cut, `verify` says so, or provably nothing that can be read has changed. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventDefinitions as definitions } from "../../events/all.ts";
import { verify } from "../../src/audit/verify.ts";
import { projections } from "../../src/log/projections/all.ts";
import { type Folder, folder, open } from "./fixture.ts";

const FILES = ["events.db", "events.db-wal", "anchor"] as const;
const SEED = Number(process.env["TAMPER_SEED"] ?? 20_260_101);

/** mulberry32 */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A folder that trials change one file of, and put back. */
interface Specimen {
  readonly folder: Folder;
  readonly contents: ReadonlyMap<string, Buffer>;
  readonly readable: string;
}

/** `killed`: the newest events stand in the WAL alone. `stopped`: everything is in the database. */
let killed: Specimen;
let stopped: Specimen;

beforeAll(async () => {
  const made = folder();
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "tamper-child.ts"), made.path], { stdout: "pipe", stderr: "inherit" });
  await child.stdout.getReader().read();
  child.kill("SIGKILL");
  await child.exited;
  const other = folder();
  cpSync(made.path, other.path, { recursive: true });
  await open(other.path).close();
  killed = specimen(made);
  stopped = specimen(other);
}, 30_000);
afterAll(() => {
  for (const { folder } of [killed, stopped]) folder[Symbol.dispose]();
});

function specimen(made: Folder): Specimen {
  for (const name of ["events.db-shm", "lock.db", "lock.db-journal"]) rmSync(join(made.path, name), { force: true });
  const names = FILES.filter((name) => existsSync(join(made.path, name)));
  return { folder: made, contents: new Map(names.map((name) => [name, readFileSync(join(made.path, name))])), readable: dump(made.path) };
}

/** Everything that can be read: every row of every table, through the tables and through their indexes, and what the pragmas say. */
function dump(path: string): string {
  using db = new Database(join(path, "events.db"), { readonly: true });
  const all = (sql: string) => {
    using statement = db.prepare<Record<string, unknown>, []>(sql);
    return statement
      .all()
      .map((row) =>
        Object.entries(row).map(([key, value]) => [key, value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value]),
      );
  };
  const schema = all("select type, name, tbl_name, sql from sqlite_schema order by name");
  const tables = schema.filter(([type]) => type?.[1] === "table").map((row) => String(row[1]?.[1]));
  const rows = tables.map((table) => [table, all(`select * from "${table}"`)]);
  const indexed = [
    all("select position from events order by stream, version"),
    all("select id from names order by name"),
    all("select call from calls where key is not null order by agent, key"),
    all("select id from sessions order by agent, name"),
    all("select hash from blobs order by hash"),
    all("select hash from definitions order by hash"),
    all("select name from projections order by name"),
  ];
  return JSON.stringify([schema, rows, indexed, all("pragma application_id"), all("pragma user_version"), all("pragma encoding")]);
}

interface Trial {
  readonly what: string;
  readonly reported: boolean;
}

/** Change one file, verify, put it back. Throws when a change is not reported although something reads differently. */
async function attempt(
  { folder: { path }, contents, readable }: Specimen,
  what: string,
  file: string,
  changed: Uint8Array,
): Promise<Trial> {
  writeFileSync(join(path, file), changed);
  const { verdict } = await verify(path, { projections, definitions });
  if (verdict === "sound" && dump(path) !== readable) throw new Error(`unreported, seed ${SEED}: ${what}`);
  writeFileSync(join(path, file), contents.get(file) ?? "");
  rmSync(join(path, "events.db-shm"), { force: true });
  return { what, reported: verdict !== "sound" };
}

const reported = (trials: readonly Trial[]) => trials.filter((trial) => trial.reported).length;

async function flipBits(specimen: Specimen, file: string, count: number, random: () => number): Promise<number> {
  const trials: Trial[] = [];
  for (let n = 0; n < count; n++) {
    const changed = Buffer.from(specimen.contents.get(file) ?? "");
    const bit = Math.floor(random() * changed.length * 8);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    trials.push(await attempt(specimen, `bit ${bit} of ${file}`, file, changed));
  }
  return reported(trials);
}

async function cutEnds(specimen: Specimen, file: string, count: number, random: () => number): Promise<number> {
  const trials: Trial[] = [];
  const whole = specimen.contents.get(file) ?? Buffer.alloc(0);
  for (let n = 0; n < count; n++) {
    const length = Math.floor(random() * whole.length);
    trials.push(await attempt(specimen, `${file} cut at ${length}`, file, whole.subarray(0, length)));
  }
  return reported(trials);
}

test("the specimens are sound and use every kind of storage", async () => {
  const checked = {
    blobs: 7,
    definitions: 1,
    snapshots: 2,
    projections: ["sessions", "calls", "approvals", "doubts", "servers", "questions", "tasks", "timers", "conversation"],
  };
  for (const { folder } of [killed, stopped])
    expect(await verify(folder.path, { projections, definitions })).toMatchObject({ verdict: "sound", checked });
  expect(killed.readable).toBe(stopped.readable);
  expect(killed.contents.get("events.db-wal")?.readUInt32BE(12)).toBe(0); // never begun anew: no frame is left of an older round
  expect(killed.contents.get("events.db-wal")?.length).toBeGreaterThan(100_000);
  expect([...stopped.contents.keys()]).toEqual(["events.db", "anchor"]);
});

test("of 500 flipped bits every one that changes anything readable is reported", async () => {
  const random = randomOf(SEED);
  // Not every byte of a database is in use, nor every page that is newer in the WAL; of the WAL and the anchor every byte is.
  expect(await flipBits(stopped, "events.db", 250, random)).toBeGreaterThan(100);
  await flipBits(killed, "events.db", 50, random);
  expect(await flipBits(killed, "events.db-wal", 150, random)).toBe(150);
  expect(await flipBits(stopped, "anchor", 50, random)).toBe(50);
}, 120_000);

test("every one of 100 cut ends is reported", async () => {
  const random = randomOf(SEED + 1);
  expect(await cutEnds(stopped, "events.db", 30, random)).toBe(30);
  await cutEnds(killed, "events.db", 10, random);
  expect(await cutEnds(killed, "events.db-wal", 40, random)).toBe(40);
  expect(await cutEnds(stopped, "anchor", 20, random)).toBe(20);
}, 60_000);
