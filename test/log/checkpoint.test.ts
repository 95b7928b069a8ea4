/** The checkpoint thread: it empties the WAL into the database, begins a grown one anew, says when it cannot, and is inside a compiled binary. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { checkpointer } from "../../src/log/checkpoint.ts";
import { folder } from "./fixture.ts";

const MIB = 1024 * 1024;
const never = () => expect.unreachable();

function writing(path: string): Database {
  const db = new Database(path, { create: true });
  for (const setting of ["journal_mode=wal", "wal_autocheckpoint=0", "synchronous=off"]) db.run(`pragma ${setting}`);
  db.run("create table bytes (content blob) strict");
  return db;
}

test("what is committed is in the database file after a run", async () => {
  using data = folder();
  const path = join(data.path, "events.db");
  using db = writing(path);
  const checkpoints = checkpointer(path, never);
  db.run("insert into bytes (content) values (zeroblob(1000))");
  await checkpoints.run();
  const copy = join(data.path, "copy.db");
  const child = Bun.spawnSync(["cp", path, copy]); // by another process: our own descriptors would drop our locks
  expect(child.exitCode).toBe(0);
  using read = new Database(copy, { readonly: true });
  expect(read.query("select length(content) as n from bytes").all()).toEqual([{ n: 1000 }]);
  await checkpoints.stop();
});

test("a WAL beyond 16 MiB is begun anew although its writer never pauses", async () => {
  using data = folder();
  const path = join(data.path, "events.db");
  using db = writing(path);
  db.run("pragma busy_timeout=10000");
  const checkpoints = checkpointer(path, never);
  using frames = db.prepare<{ log: number }, []>("pragma wal_checkpoint(noop)");
  const runWhileWriting = async () => {
    let running = true;
    const run = checkpoints.run().then(() => {
      running = false;
    });
    while (running) {
      db.run("insert into bytes (content) values (zeroblob(10))");
      await new Promise(setImmediate);
    }
    await run;
    db.run("insert into bytes (content) values (zeroblob(10))");
    return frames.get()?.log ?? 0;
  };
  db.run(`insert into bytes (content) values (zeroblob(${20 * MIB}))`);
  expect(frames.get()?.log).toBeGreaterThan(4_096);
  expect(await runWhileWriting()).toBeLessThan(4_096);
  await checkpoints.stop();
});

test("a thread that cannot work says so once, and nobody waits for it", async () => {
  using data = folder();
  let failures = 0;
  const checkpoints = checkpointer(join(data.path, "none", "events.db"), () => void failures++);
  await checkpoints.run();
  await checkpoints.run();
  await checkpoints.stop();
  expect(failures).toBe(1);
});

test("a compiled binary checkpoints too", async () => {
  using data = folder();
  const binary = join(data.path, "binary");
  const built = Bun.spawnSync([process.execPath, "build", "--compile", join(import.meta.dir, "checkpoint-child.ts"), "--outfile", binary]);
  expect(built.exitCode).toBe(0);
  const child = Bun.spawn([binary, join(data.path, "data")], { cwd: "/", stdout: "pipe", stderr: "inherit" });
  expect(await new Response(child.stdout).text()).toBe("checkpointed\n");
  expect(await child.exited).toBe(0);
}, 60_000);
