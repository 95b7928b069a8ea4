/** What an insider with the file could do by SQL, and what `verify` says to it; and that it leaves a sound log in peace. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { eventDefinitions as definitions } from "../../events/all.ts";
import { CallSettled } from "../../events/call.ts";
import { ToolsOffered } from "../../events/tools.ts";
import { verify } from "../../src/audit/verify.ts";
import { projections } from "../../src/log/projections/all.ts";
import { openReader } from "../../src/log/reader.ts";
import { answered, asked, batch, type Folder, folder, on, open, opened } from "./fixture.ts";

const definition = JSON.stringify({ name: "send" });
const hash = Bun.SHA256.hash(definition, "hex");

async function filled(path: string): Promise<void> {
  const log = open(path);
  log.define(hash, definition);
  const offered = ToolsOffered({ server: "mail", tools: [{ name: "mail__send", tool: "send", hash, capability: "mutating" }] });
  await log.append(batch(1, "registry", [on("registry", offered)]));
  await log.append(opened(2, "s_1"));
  await log.append(opened(3, "s_2"));
  await log.append(asked(4, "s_1", "c1", { args: { text: "a" } }));
  await log.append(answered(5, "s_1", "c1", { text: "b".repeat(9000) }));
  await log.append(asked(6, "s_2", "c2", { args: { text: "c".repeat(1_100_000) } }));
  await log.erase({ session: "s_1", by: "operator", reason: "" });
  await log.append(asked(8, "s_1", "c3", { capability: "mutating" }));
  const doubt = CallSettled(
    { call: "c3", session: "s_1", capability: "mutating", certainty: "in_doubt", code: "timeout" },
    { note: "d".repeat(9000) },
  );
  await log.append(batch(9, "server/mail", [on("server/mail", doubt)]));
  log.saveSnapshot({ stream: "session/s_1", version: 2, shape: 1, state: { n: 1 } });
  await log.close();
}

let template: Folder;
beforeAll(async () => {
  template = folder();
  await filled(template.path);
});
afterAll(() => template[Symbol.dispose]());

/** A folder of its own with the filled log in it. */
function copied(): Folder {
  const copy = folder();
  cpSync(template.path, copy.path, { recursive: true });
  return copy;
}

/** Positions: 1 offered, 2 and 3 opened, 4 5 asked c1, 6 7 answered c1, 8 9 asked c2, 10 erased, 11 12 asked c3, 13 doubt. */
const edits: readonly [name: string, sql: string, verdict: string, position?: number][] = [
  ["data", "update events set data = replace(data, 'desk', 'disk') where position = 2", "altered", 2],
  ["a payload", "update events set payload = replace(payload, 'path', 'pith') where position = 11", "altered", 11],
  ["a payload's salt", "update events set payload = 'AAAAAAAAAAAAAAAAAAAAAA==' || substr(payload, 25) where position = 11", "altered", 11],
  ["a payload put back", "update events set payload = 'AAAAAAAAAAAAAAAAAAAAAA==.{}' where position = 4", "altered", 4],
  ["an erasure that nothing accounts for", "update events set payload = null where position = 8", "altered", 8],
  ["an erasure after the one that was recorded", "update events set payload = null where position = 11", "altered", 11],
  ["time", "update events set at = at + 1 where position = 3", "altered", 3],
  ["call", "update events set call = 'c9' where position = 5", "altered", 5],
  ["schema", "update events set schema = 2 where position = 5", "altered", 5],
  ["turn", "update events set turn = 5 where position = 5", "altered", 5],
  ["hash", "update events set hash = zeroblob(32) where position = 5", "altered", 5],
  ["a stream's name", "update names set name = 'session/s_3' where name = 'session/s_2'", "altered", 3],
  ["a type's name", "update names set name = 'call.rejected' where name = 'call.dispatched'", "altered", 5],
  ["a missing name", "delete from names where name = 'call.dispatched'", "altered", 5],
  ["a removed event", "delete from events where position = 9", "altered", 9],
  ["a removed end", "delete from events where position >= 11", "cut_short", 11],
  ["everything removed", "delete from events", "cut_short", 1],
  ["a turn's input", 'update turns set command = \'{"type":"other"}\' where turn = 4', "altered", 4],
  ["a turn's build", "update builds set build = 'other'", "altered", 1],
  ["a removed turn", "delete from turns where turn = 4", "altered", 4],
  ["an added turn", `insert into turns select 99, at, "to", command, build from turns where turn = 4`, "altered"],
  ["an added name", "insert into names (name) values ('server/evil')", "altered"],
  ["an added build", "insert into builds (build, version) values ('x', 'y')", "altered"],
  ["an added key in meta", "insert into meta (key, value) values ('x', 'y')", "altered"],
  ["the log's id", "update meta set value = 'other'", "altered"],
  ["a blob", "update blobs set content = zeroblob(bytes)", "altered", 13],
  ["a blob's length", "update blobs set bytes = bytes + 1", "altered", 13],
  ["a removed blob", "delete from blobs", "altered", 13],
  [
    "an added blob",
    "insert into blobs (hash, bytes, content) values ('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 0, x'')",
    "altered",
  ],
  ["a definition", "update definitions set json = '{}'", "altered"],
  ["a removed definition", "delete from definitions", "altered", 1],
  ["a snapshot", `update snapshots set state = '{"n":2}'`, "altered"],
  ["a snapshot's version", "update snapshots set version = 1", "altered"],
  ["a projection's row", "update calls set status = 'ended' where call = 'c2'", "altered"],
  ["a removed doubt", "delete from doubts", "altered"],
  ["an added doubt", "insert into doubts (call, session, capability, since) values ('c1', 's_1', 'read', 1)", "altered"],
  ["a projection's version", "update projections set version = 99 where name = 'doubts'", "altered"],
  ["a removed projection", "delete from projections where name = 'doubts'", "altered"],
  ["an added table", "create table evil (x)", "altered"],
  ["an added trigger", "create trigger evil after insert on events begin select 1; end", "altered"],
  ["an added view", "create view evil as select 1", "altered"],
  ["a removed index", "drop index calls_by_key", "altered"],
  ["a removed trigger", "drop trigger events_no_update", "altered"],
  ["another view", "drop view events_view; create view events_view as select 1", "altered"],
  ["a later schema", "pragma user_version = 99", "unreadable"],
  ["another application", "pragma application_id = 99", "unreadable"],
];

test.each(edits.map(([name, sql, verdict, position]) => [name, sql, verdict, position ?? null] as const))(
  "verify notices %s",
  async (_, sql, verdict, position) => {
    using data = folder();
    await filled(data.path);
    const db = new Database(join(data.path, "events.db"));
    const triggers = db.prepare<{ name: string; sql: string }, []>("select name, sql from sqlite_schema where type = 'trigger'").all();
    for (const { name } of sql.startsWith("drop trigger") ? [] : triggers) db.run(`drop trigger ${name}`);
    db.run(sql);
    for (const { sql: again } of sql.startsWith("drop trigger") ? [] : triggers) db.run(again);
    db.close(true);
    expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict, ...(position !== null && { position }) });
  },
);

test("verify notices a changed, a cut and a missing blob file, and lets one be that no turn names", async () => {
  using data = copied();
  const blobs = join(data.path, "blobs");
  const [file = ""] = readdirSync(blobs, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("/"));
  const stray = join(blobs, file.slice(0, 2), "0".repeat(62));
  appendFileSync(stray, "left by a crash");
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "sound" });
  appendFileSync(join(blobs, file), "x");
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "altered", position: 8 });
  rmSync(join(blobs, file));
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "altered", position: 8 });
});

test("verify runs beside a writer that goes on", async () => {
  using data = folder();
  const log = open(data.path);
  await log.append(opened(1, "s_1"));
  let writing = true;
  const writer = (async () => {
    for (let turn = 2; writing; turn += 2) {
      await log.append(asked(turn, "s_1", `c${turn}`));
      await log.append(answered(turn + 1, "s_1", `c${turn}`));
    }
  })();
  for (let n = 0; n < 10; n++) expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "sound" });
  writing = false;
  await writer;
  await log.close();
});

test("projections of another version than this program's are left out, and named", async () => {
  using data = copied();
  const newer = projections.map((projection) =>
    projection.name === "doubts" ? { ...projection, version: 7, tables: "create table doubts (other)", on: {} } : projection,
  );
  expect(await verify(data.path, { projections: newer, definitions })).toMatchObject({
    verdict: "sound",
    checked: { projections: ["sessions", "calls", "approvals", "servers", "questions", "tasks", "timers", "conversation"] },
    skipped: ["doubts (version 1, this program folds 7)"],
  });
});

test("what is no log is unreadable, and verifying changes no file", async () => {
  using data = folder();
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "unreadable" });
  await filled(data.path);
  const files = () =>
    ["events.db", "anchor", "keys/anchor.key", "keys/anchor.pub"].map((name) =>
      Bun.SHA256.hash(readFileSync(join(data.path, name)), "hex"),
    );
  const before = files();
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "sound" });
  openReader(data.path, definitions).close();
  expect(files()).toEqual(before);
});
