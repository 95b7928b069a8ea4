/** Erasure: nothing of what was erased is left in any file, everything else is, and the log is still sound. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { eventDefinitions as definitions } from "../../events/all.ts";
import { eraseOffline } from "../../src/audit/erase.ts";
import { verify } from "../../src/audit/verify.ts";
import type { Log } from "../../src/log/log.ts";
import { projections } from "../../src/log/projections/all.ts";
import { answered, asked, folder, open, opened } from "./fixture.ts";

const filesOf = (path: string): string[] =>
  readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile());

/** Names of the files that hold the text. Only when no connection of this process is open: reading would release its locks. */
const holding = (path: string, text: string) => filesOf(path).filter((file) => readFileSync(file).includes(text));

const SECRET = "Xq7-unrepeatable-9fK";

/** Two sessions whose calls alternate; the first one's values all hold the secret, at every size. */
async function fill(log: Log): Promise<void> {
  let turn = 0;
  await log.append(opened(++turn, "s_1"));
  await log.append(opened(++turn, "s_2"));
  const sizes = [10, 300, 3000, 5000, 9000, 200_000, 1_500_000];
  for (const [n, size] of sizes.entries())
    for (const session of ["s_1", "s_2"]) {
      const text = session === "s_1" ? SECRET.repeat(Math.ceil(size / SECRET.length)) : "y".repeat(size);
      await log.append(asked(++turn, session, `${session}-${n}`, { args: { text } }));
      await log.append(answered(++turn, session, `${session}-${n}`, { result: text }));
      log.saveSnapshot({ stream: `session/${session}`, version: 2 * n + 3, shape: 1, state: { text: text.slice(0, 5000) } });
      log.saveSnapshot({ stream: "server/mail", version: 2, shape: 1, state: { text: text.slice(0, 5000) } });
    }
  for (let n = 0; n < 50; n++) await log.append(asked(++turn, "s_1", `many-${n}`, { args: { text: SECRET.repeat(n) } }));
}

test("no byte of an erased session's values is left in any file, and the log stays sound", async () => {
  using data = folder();
  const log = open(data.path);
  await fill(log);
  const before = log.head.position;
  const erased = await log.erase({ session: "session/s_1", by: "operator", reason: "asked to" });
  expect(erased).toMatchObject({ events: 64, blobs: 6 });
  expect(log.page({ after: before, limit: 10 })).toMatchObject([
    {
      stream: "system",
      type: "payload.erased",
      turn: erased.turn,
      data: { session: "s_1", events: 64, blobs: 6, by: "operator", reason: "asked to" },
    },
  ]);
  expect(log.page({ after: 0, limit: 1000 }).filter(({ payload }) => JSON.stringify(payload)?.includes(SECRET))).toEqual([]);
  expect(log.snapshot("session/s_1")).toBeUndefined();
  expect(log.snapshot("server/mail")).toBeUndefined();
  expect(log.snapshot("session/s_2")).toBeDefined();
  for (const { position } of log.page({ after: 0, limit: 1000, type: "call.settled" })) {
    const value = JSON.stringify(log.payload(position) ?? null);
    expect(value === "null" || value.includes("yyy")).toBeTrue();
  }
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "sound", checked: { erased: 64 } });
  await log.close();
  expect(holding(data.path, SECRET)).toEqual([]);
  expect(holding(data.path, SECRET.slice(0, 8))).toEqual([]);
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "sound" });
});

test("the values are gone from the files at once, not only after a clean stop", async () => {
  using data = folder();
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "erase-child.ts"), data.path, SECRET], {
    stdout: "pipe",
    stderr: "inherit",
  });
  await child.stdout.getReader().read(); // erased, and still running
  expect(holding(data.path, SECRET)).toEqual([]);
  child.kill("SIGKILL");
  await child.exited;
  expect(holding(data.path, SECRET)).toEqual([]);
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "sound" });
});

test("a value that another session holds as well stays there", async () => {
  using data = folder();
  const log = open(data.path);
  const shared = { text: "z".repeat(9000) };
  await log.append(opened(1, "s_1"));
  await log.append(opened(2, "s_2"));
  await log.append(asked(3, "s_1", "c1", { args: shared }));
  await log.append(asked(4, "s_2", "c2", { args: shared }));
  expect(await log.erase({ session: "s_1", by: "operator", reason: "" })).toMatchObject({ events: 1, blobs: 0 });
  expect(log.payload(5)).toEqual(shared);
  await log.close();
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "sound" });
});

test("an erasure that was cut off before its files were unlinked is finished at the next start", async () => {
  using data = folder();
  let interrupted = true;
  const log = open(data.path, {
    failpoint: (name) => {
      if (name === "before_purge" && interrupted) throw new Error("killed");
    },
  });
  await log.append(opened(1, "s_1"));
  await log.append(asked(2, "s_1", "c1", { args: { text: SECRET.repeat(100_000) } }));
  expect(log.erase({ session: "s_1", by: "operator", reason: "" })).rejects.toThrow("killed");
  await log.close();
  expect(holding(data.path, SECRET)).toHaveLength(1);
  interrupted = false;
  await open(data.path).close();
  expect(holding(data.path, SECRET)).toEqual([]);
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "sound" });
});

test("erasing offline takes the lock, and a session that holds nothing is recorded too", async () => {
  using data = folder();
  const options = { path: data.path, projections, definitions, build: "b", version: "0", reserveBytes: 0 };
  const log = open(data.path);
  await log.append(opened(1, "s_1"));
  await log.append(asked(2, "s_1", "c1"));
  expect(eraseOffline(options, { session: "s_1", by: "operator", reason: "" })).rejects.toMatchObject({ code: "locked" });
  await log.close();
  expect(await eraseOffline(options, { session: "s_1", by: "operator", reason: "" })).toEqual({ turn: 3, events: 1, blobs: 0 });
  expect(await eraseOffline(options, { session: "s_1", by: "operator", reason: "again" })).toEqual({ turn: 4, events: 0, blobs: 0 });
  expect(existsSync(join(data.path, "blobs"))).toBeFalse();
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "sound", events: 5 });
});
