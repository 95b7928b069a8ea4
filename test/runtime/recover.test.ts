/** A start that keeps ending while one actor is being recovered does not go on for ever. */
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recover } from "../../src/runtime/recover.ts";
import { createRuntime } from "../../src/runtime/turn.ts";
import { memoryLog } from "../harness.ts";

const folder = mkdtempSync(join(tmpdir(), "toolcrib-recover-"));
const guard = join(folder, "starting");
afterAll(() => rmSync(folder, { recursive: true }));

const open = { sessions: ["s_1"], servers: ["mail"] };
const start = (log = memoryLog()) => ({ log, runtime: createRuntime({ log, now: Date.now, perform: () => undefined }) });

test("names the address it recovers, and forgets it when it is done", async () => {
  const { runtime } = start();
  const seen: string[] = [];
  const watched = {
    ...runtime,
    stateOf(address: string) {
      seen.push(readFileSync(guard, "utf8"));
      return runtime.stateOf(address);
    },
  };
  expect(await recover(watched, open, guard)).toEqual({ skipped: [] });
  expect(seen.map((text) => (JSON.parse(text) as { address: string }).address)).toEqual(["session/s_1", "server/mail", "questions"]);
  expect(existsSync(guard)).toBe(false);
});

test("skips an address at which three starts ended, and says so in the log", async () => {
  writeFileSync(guard, JSON.stringify({ address: "server/mail", attempts: 3 }));
  const { log, runtime } = start();
  expect(await recover(runtime, open, guard)).toEqual({ skipped: ["server/mail"] });
  expect(log.page({ after: 0, limit: 10 }).map(({ data }) => data)).toMatchObject([{ to: "server/mail", command: "recover" }]);
});

test("tries an address again at which fewer ended", async () => {
  writeFileSync(guard, JSON.stringify({ address: "server/mail", attempts: 2 }));
  expect(await recover(start().runtime, open, guard)).toEqual({ skipped: [] });
});
