/** Which folders a log opens, which it refuses and how, and what the database itself forbids. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventDefinitions } from "../../events/all.ts";
import { openReader } from "../../src/log/reader.ts";
import { APPLICATION_ID, SCHEMA_VERSION } from "../../src/log/schema.ts";
import { asked, folder, open, opened } from "./fixture.ts";

const codeOf = (run: () => unknown) => {
  try {
    run();
    return "opened";
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : error;
  }
};

test("a second writer is refused while the first lives, and welcome after it", async () => {
  using data = folder();
  const first = open(data.path);
  expect(codeOf(() => open(data.path))).toBe("locked");
  await first.append(opened(1, "s_1"));
  await first.close();
  const second = open(data.path);
  expect(second.head.position).toBe(1);
  await second.close();
});

test("a writer in another process is refused too, and not once the owner is killed", async () => {
  using data = folder();
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "child.ts"), data.path, "hold"], { stdout: "pipe", stderr: "inherit" });
  await child.stdout.getReader().read();
  expect(codeOf(() => open(data.path))).toBe("locked");
  child.kill("SIGKILL");
  await child.exited;
  const log = open(data.path);
  expect(log.head.position).toBe(1);
  await log.close();
});

test("another program's database is refused and not touched", () => {
  using data = folder();
  const path = join(data.path, "events.db");
  using other = new Database(path, { create: true });
  other.run("create table theirs (x)");
  other.close();
  const before = readFileSync(path);
  expect(codeOf(() => open(data.path))).toBe("foreign");
  expect(codeOf(() => openReader(data.path, eventDefinitions))).toBe("foreign");
  expect(readFileSync(path).equals(before)).toBeTrue();
});

test("a database with another application's id is refused", () => {
  using data = folder();
  const other = new Database(join(data.path, "events.db"), { create: true });
  other.run("pragma application_id=4711");
  other.run("pragma user_version=1");
  other.close();
  expect(codeOf(() => open(data.path))).toBe("foreign");
});

test("a log of a later release is refused and says so", async () => {
  using data = folder();
  await open(data.path).close();
  const db = new Database(join(data.path, "events.db"));
  db.run(`pragma user_version=${SCHEMA_VERSION + 1}`);
  db.close();
  expect(codeOf(() => open(data.path))).toBe("newer");
  expect(codeOf(() => openReader(data.path, eventDefinitions))).toBe("newer");
});

test("what is no database is refused as unreadable", async () => {
  using data = folder();
  writeFileSync(join(data.path, "events.db"), "this is a letter to my aunt, and long enough for a header of a hundred bytes ".repeat(20));
  expect(codeOf(() => open(data.path))).toBe("unreadable");
  using cut = folder();
  const log = open(cut.path);
  await log.append(opened(1, "s_1"));
  await log.close();
  truncateSync(join(cut.path, "events.db"), 5000);
  expect(codeOf(() => open(cut.path))).toBe("unreadable");
  using none = folder();
  expect(codeOf(() => openReader(none.path, eventDefinitions))).toBe("unreadable");
});

test("an open that failed leaves the folder unlocked", async () => {
  using data = folder();
  writeFileSync(join(data.path, "events.db"), "x".repeat(4096));
  expect(codeOf(() => open(data.path))).toBe("unreadable");
  writeFileSync(join(data.path, "events.db"), "");
  await open(data.path).close();
});

test("an interrupted migration is done again", async () => {
  using data = folder();
  const interrupt = (name: string) => {
    if (name === "migration") throw new Error("killed");
  };
  expect(() => open(data.path, { failpoint: interrupt })).toThrow("killed");
  const log = open(data.path);
  await log.append(opened(1, "s_1"));
  await log.close();
});

test("the database says whose it is, and its file and folder are the owner's alone", async () => {
  using data = folder();
  const inside = join(data.path, "data");
  const log = open(inside);
  expect(log.query("pragma application_id")).toEqual([{ application_id: APPLICATION_ID }]);
  expect(log.query("pragma user_version")).toEqual([{ user_version: SCHEMA_VERSION }]);
  expect(statSync(inside).mode & 0o777).toBe(0o700);
  expect(statSync(join(inside, "keys", "anchor.key")).mode & 0o777).toBe(0o600);
  await log.close();
});

test("events and turns cannot be changed or removed through SQL, but for the erasure of a payload", async () => {
  using data = folder();
  const log = open(data.path);
  await log.append(asked(1, "s_1", "c1"));
  await log.close();
  using db = new Database(join(data.path, "events.db"));
  db.run("pragma recursive_triggers=on");
  const columns = ["position", "stream", "version", "type", "schema", "at", "turn", "call", "data", "hash"];
  for (const column of columns) {
    const value = column === "hash" ? "x'00'" : column === "data" || column === "call" ? "'x'" : "99";
    expect(() => db.run(`update events set ${column} = ${value} where position = 1`)).toThrow("append-only");
    expect(() => db.run(`update events set ${column} = ${value}, payload = null where position = 1`)).toThrow("append-only");
  }
  expect(() => db.run("update events set payload = 'other' where position = 1")).toThrow("append-only");
  expect(() => db.run("delete from events")).toThrow("append-only");
  expect(() => db.run("insert or replace into events select * from events where position = 1")).toThrow("append-only");
  expect(() => db.run("delete from turns")).toThrow("append-only");
  expect(() => db.run("update turns set command = ''")).toThrow("append-only");
  db.run("update events set payload = null where position = 1");
  expect(() => db.run("update events set payload = 'back' where position = 1")).toThrow("append-only");
});

test("events_view can be read with the plain sqlite3 program", async () => {
  using data = folder();
  const log = open(data.path);
  await log.append(asked(1, "s_1", "c1"));
  await log.close();
  if (Bun.which("sqlite3") === null) return; // not installed here
  const { stdout } = Bun.spawnSync([
    "sqlite3",
    "-readonly",
    join(data.path, "events.db"),
    "select position, stream, type, at, length(hash) from events_view",
  ]);
  expect(stdout.toString()).toBe(
    "1|session/s_1|call.requested|2025-06-15T15:06:40.010Z|64\n2|server/mail|call.dispatched|2025-06-15T15:06:40.010Z|64\n",
  );
});

test("a log without space for its reserve, or told to keep none, opens all the same", async () => {
  using data = folder();
  mkdirSync(data.path, { recursive: true });
  const log = open(data.path, { reserveBytes: Number.MAX_SAFE_INTEGER });
  await log.append(opened(1, "s_1"));
  await log.close();
});
