/** A disk that is full at the start, and one that fills up while calls run: what was promised stands in the log, and service comes back with the space. */
import { describe, expect, test } from "bun:test";
import { closeSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { eventDefinitions } from "../../events/all.ts";
import { verify } from "../../src/audit/verify.ts";
import { projections } from "../../src/log/projections/all.ts";
import { openReader } from "../../src/log/reader.ts";
import { type Answer, call, canMount, makePlace, mountTmpfs, type Place, send, startDaemon, until, whenServed } from "./daemon-fixture.ts";

const MIB = 1024 * 1024;

function actor(root: string) {
  const env = { ACT_FILE: join(root, "acts"), ACT_PIDS: join(root, "pids") };
  for (const file of Object.values(env)) writeFileSync(file, "");
  const server = {
    command: process.execPath,
    args: [join(import.meta.dir, "crash", "act-server.ts")],
    env,
    tools: { look: { capability: "read" } },
  };
  return { acts: () => readFileSync(env.ACT_FILE, "utf8").split("\n").filter(Boolean), server };
}

/** Takes all the space there is. */
function fill(path: string): void {
  const file = openSync(path, "w");
  try {
    for (let bytes = MIB; bytes >= 4096; ) {
      try {
        if (writeSync(file, Buffer.alloc(bytes)) < bytes) bytes /= 2;
      } catch {
        bytes /= 2;
      }
    }
  } finally {
    closeSync(file);
  }
}

interface Row {
  readonly call: string;
  readonly status: string;
  readonly certainty: string | null;
}
function calls({ data }: Place): readonly Row[] {
  const reader = openReader(data, eventDefinitions);
  try {
    return reader.query<Row>(
      "select call, status, certainty from calls where server = 'deed' and capability = 'mutating' and tool = 'act'",
    );
  } finally {
    reader.close();
  }
}

describe.skipIf(!canMount)("a disk (needs root, to mount a small one)", () => {
  test("that is full at the start: health answers, calls are refused, and service comes by itself with the space", async () => {
    using place = makePlace();
    using _ = mountTmpfs(place.data, "size=6m");
    await using daemon = startDaemon(place);
    const waiting = await daemon.url;
    expect(daemon.stderr()).toContain("the disk is full");
    const [health, ready, refused] = await Promise.all([send(waiting, "/healthz"), send(waiting, "/readyz"), call(waiting, "call_status")]);
    expect([health.status, ready.status, refused.status]).toEqual([200, 503, 503]);
    expect(refused.json).toMatchObject({ error: { code: "overloaded", message: expect.stringContaining("disk is full") } });
    expect(Bun.spawnSync(["mount", "-o", "remount,size=200m", place.data]).success).toBe(true);
    const url = await until("it listens", () => /toolcrib listening on (\S+)/.exec(daemon.stderr())?.[1]);
    expect((await send(url, "/readyz")).status).toBe(200);
    expect((await call(url, "call_status")).status).toBe(200);
  }, 30_000);

  test("that is nearly full: calls that may act are refused, reads are not", async () => {
    using place = makePlace();
    const { server } = actor(place.root);
    place.configure({ mcpServers: { deed: server } });
    using _ = mountTmpfs(place.data, "size=40m");
    await using daemon = startDaemon(place);
    const url = await daemon.url;
    await whenServed(url, "deed__look");
    const { status, json } = await call(url, "deed__act", { key: "a" });
    expect({ status, json }).toMatchObject({ status: 503, json: { error: { code: "overloaded", certainty: "not_applied" } } });
    expect((await send(url, "/readyz")).status).toBe(503);
  }, 30_000);

  for (const { bytes, what } of [
    { bytes: 100_000, what: "their answers fit into the reserve: all are answered" },
    { bytes: 3_000_000, what: "their answers do not fit: each is answered or in doubt" },
  ])
    test(`that fills up under ten mutating calls, when ${what}; it ends with 70, and nothing is lost`, async () => {
      using place = makePlace();
      const { acts, server } = actor(place.root);
      place.configure({ mcpServers: { deed: server }, bridge: { connectRetryBaseDelayMs: 50 } });
      using _ = mountTmpfs(place.data, "size=160m");
      await using daemon = startDaemon(place);
      const url = await daemon.url;
      await whenServed(url, "deed__look");
      const keys = Array.from({ length: 10 }, (_, index) => `k${index}`);
      const running = keys.map((key) => call(url, "deed__act", { key, ms: 3000, bytes }).catch(() => undefined));
      await until("all act", () => acts().length === keys.length);
      const filler = join(place.data, "filler");
      fill(filler);
      const told = (await Promise.all(running)).filter((answer): answer is Answer => answer !== undefined);
      expect(await daemon.ended).toBe(70);
      expect(daemon.stderr()).toContain("disk");
      if (bytes < MIB) expect(told.map(({ status }) => status)).toEqual(keys.map(() => 200));

      rmSync(filler);
      await using again = startDaemon(place);
      const at = await again.url;
      await whenServed(at, "deed__look");
      await again.stop();
      const rows = calls(place);
      expect(rows).toHaveLength(keys.length);
      if (bytes >= MIB) expect(new Set(rows.map(({ certainty }) => certainty))).toContain("in_doubt");
      for (const { call: id, status, certainty } of rows) {
        expect({ id, status, isKnown: certainty === "answered" || certainty === "in_doubt" }).toEqual({
          id,
          status: "ended",
          isKnown: true,
        });
        const heard = told.find(({ json }) => (json["callId"] ?? (json["error"] as { callId?: string } | undefined)?.callId) === id);
        if (heard?.status === 200) expect({ id, certainty }).toEqual({ id, certainty: "answered" });
      }
      expect(told.every(({ status }) => status === 200 || status >= 500)).toBe(true);
      expect(acts().toSorted()).toEqual(keys.toSorted()); // nothing was repeated
      expect(await verify(place.data, { projections, definitions: eventDefinitions })).toMatchObject({ verdict: "sound" });
    }, 60_000);
});
