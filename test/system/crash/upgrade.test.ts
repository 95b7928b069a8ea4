/** Kills while a log is made, and while one that an older release left is brought up to date. */
import { expect, test } from "bun:test";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { eventDefinitions } from "../../../events/all.ts";
import { verify } from "../../../src/audit/verify.ts";
import type { Projection } from "../../../src/log/projection.ts";
import { projections } from "../../../src/log/projections/all.ts";
import { openReader } from "../../../src/log/reader.ts";
import { makePlace, programUnderTest, startGateway } from "./gateway.ts";
import { raised } from "./raised.ts";
import { randomOf } from "./random.ts";

const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 1_000_000_000);
const binary = programUnderTest();
const KILLS = 12;
const LOGS = join(import.meta.dir, "..", "..", "fixtures", "logs");

const verified = (folder: string, by: readonly Projection[] = projections) =>
  verify(folder, { projections: by, definitions: eventDefinitions });
/** The projections that an older release wrote are skipped until they are folded again. */
const soundly = ({ events, skipped }: { events: number; skipped: readonly string[] }) => ({ verdict: "sound", events, skipped });

/** A clean start, one call and a clean end. */
async function serves(place: ReturnType<typeof makePlace>): Promise<void> {
  const gateway = startGateway(binary, place);
  const url = await gateway.url;
  if (url === undefined) throw new Error(gateway.output());
  const response = await fetch(`${url}/v1/tools/mcp_list_services/call`, { method: "POST", body: "{}" });
  await response.text();
  gateway.kill("SIGTERM");
  await gateway.ended;
  expect(response.status).toBe(200);
}

test(`killed ${KILLS} times while a log is made, in the migration from nothing: nothing half-made is left, and the next start makes it`, async () => {
  let hits = 0;
  for (let folder = 0; folder < 3; folder++) {
    const place = makePlace();
    for (let kill = 0; kill < KILLS / 3; kill++) {
      const gateway = startGateway(binary, place, "migration:1");
      await gateway.ended;
      if (gateway.signal() === "SIGKILL") hits++;
      expect(() => openReader(place.data, eventDefinitions)).toThrow("has no log in it");
    }
    await serves(place);
    expect(await verified(place.data)).toMatchObject({ verdict: "sound" });
    rmSync(place.root, { recursive: true });
  }
  console.log(`migration          ${hits} hit of ${KILLS}`);
  expect(hits).toBe(KILLS);
}, 60_000);

for (const release of readdirSync(LOGS, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : [])))
  test(`killed ${KILLS} times while the projections of a log of release ${release} are folded anew: the log stays what it was`, async () => {
    const random = randomOf(seed);
    const place = makePlace();
    cpSync(join(LOGS, release), place.data, { recursive: true });
    const before = await verified(place.data);
    expect(before).toMatchObject({ verdict: "sound" });
    const refold = (n: number) => {
      const command = [process.execPath, join(import.meta.dir, "refold.ts"), place.data, `${n}`];
      return Bun.spawnSync(command, { stdio: ["ignore", "inherit", "inherit"] });
    };
    const folded = foldedEvents(place.data);
    let hits = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const n = random.between(1, folded);
      const { signalCode } = refold(n);
      if (signalCode === "SIGKILL") hits++;
      expect({ seed, n, ...(await verified(place.data)) }).toMatchObject(soundly(before));
    }
    console.log(`refold             ${hits} hit of ${KILLS}`);
    expect(hits).toBe(KILLS);
    expect(refold(0).exitCode).toBe(0);
    expect(await verified(place.data, raised)).toMatchObject(soundly({ ...before, skipped: [] }));
    await serves(place); // the older program folds it back
    expect(await verified(place.data)).toMatchObject({ verdict: "sound", skipped: [] });
    rmSync(place.root, { recursive: true });
  }, 60_000);

/** How often a rule of a projection is applied when the whole log is folded. */
function foldedEvents(data: string): number {
  const reader = openReader(data, eventDefinitions);
  try {
    return reader
      .page({ after: 0, limit: 100_000 })
      .reduce((sum, { type }) => sum + projections.filter(({ on }) => on[type] !== undefined).length, 0);
  } finally {
    reader.close();
  }
}
