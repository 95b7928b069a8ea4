/** Verifying what stands beside the events: schema, names, turns, blobs, definitions, snapshots. */
import { Database } from "bun:sqlite";
import { blobFile, listBlobFiles } from "../log/blobs.ts";
import { snapshotHash } from "../log/hash.ts";
import type { Projection } from "../log/projection.ts";
import { emptyTables } from "../log/schema.ts";
import { pragma, type Statements } from "../log/statements.ts";
import { finding } from "./finding.ts";
import type { Chain } from "./verify-chain.ts";

/** SQLite's own view of its pages and indexes. */
export function checkPages(db: Database): void {
  const answer = pragma(db, "integrity_check(1)")["integrity_check"];
  if (answer !== "ok") throw finding("altered", `the database is damaged: ${answer}`);
}

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  /** Null for the index of a constraint. */
  readonly sql: string | null;
}

const OBJECTS = "select type, name, tbl_name, sql from sqlite_schema order by name";

/** Tables, indexes, triggers and views are those that this program makes; tables of projections in `ignored` may be of another version. */
export function checkSchema(tx: Statements, version: number, projections: readonly Projection[], ignored: ReadonlySet<string>): void {
  using model = new Database(":memory:");
  emptyTables(model, version);
  for (const { tables } of projections) model.run(tables);
  using statement = model.prepare<SchemaObject, []>(OBJECTS);
  const expected = new Map(statement.all().map((object) => [object.name, JSON.stringify(object)]));
  for (const object of tx.all<SchemaObject>(OBJECTS)) {
    if (ignored.has(object.tbl_name) && (object.type === "table" || object.type === "index")) continue;
    const { name } = object;
    if (expected.get(name) !== JSON.stringify(object))
      throw finding("altered", `the schema has a ${object.type} ${name} that this program did not make`);
    expected.delete(name);
  }
  for (const [name] of expected) throw finding("altered", `the schema lacks ${name}`);
}

const count = (tx: Statements, sql: string) => tx.get<{ n: number }>(sql)?.n ?? 0;

/** Rows that no event uses were put there by somebody else. */
export function checkUnused(tx: Statements, chain: Chain): void {
  if (count(tx, "select count(*) as n from turns") !== chain.turns) throw finding("altered", "there are turns without events");
  if (count(tx, "select count(*) as n from names") !== chain.names.size) throw finding("altered", "there are names that no event uses");
  if (count(tx, "select count(*) as n from builds where id not in (select build from turns)") > 0)
    throw finding("altered", "there are builds that no turn uses");
  if (count(tx, "select count(*) as n from meta") !== 1) throw finding("altered", "the meta table has rows that this program did not make");
}

/** Every blob is what its name says, every one that is named is there, and none stands in the table that nobody names. Answers their number. */
export async function checkBlobs(tx: Statements, folder: string, named: ReadonlyMap<string, number>): Promise<number> {
  const found = new Set<string>();
  for (const { hash, bytes, content } of tx.iterate<{ hash: string; bytes: number; content: Uint8Array }>(
    "select hash, bytes, content from blobs",
  )) {
    if (Bun.SHA256.hash(content, "hex") !== hash || content.length !== bytes)
      throw finding("altered", `blob ${hash} is not what was stored`, named.get(hash));
    if (!named.has(hash)) throw finding("altered", `blob ${hash} belongs to no event`);
    found.add(hash);
  }
  for (const hash of listBlobFiles(folder).hashes) {
    if (!named.has(hash)) continue; // its turn was never committed, or its erasure is being finished
    const hasher = new Bun.CryptoHasher("sha256");
    for await (const chunk of Bun.file(blobFile(folder, hash)).stream()) hasher.update(chunk);
    if (hasher.digest("hex") !== hash) throw finding("altered", `the file of blob ${hash} is not what was stored`, named.get(hash));
    found.add(hash);
  }
  for (const [hash, position] of named) if (!found.has(hash)) throw finding("altered", `blob ${hash} is missing`, position);
  return found.size;
}

/** Answers the hashes of the definitions that are there. */
export function checkDefinitions(tx: Statements): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { hash, json } of tx.iterate<{ hash: string; json: string }>("select hash, json from definitions")) {
    if (Bun.SHA256.hash(json, "hex") !== hash) throw finding("altered", `definition ${hash} is not what was stored`);
    found.add(hash);
  }
  return found;
}

interface StoredSnapshot {
  readonly stream: string | null;
  readonly version: number;
  readonly shape: number;
  readonly state: string;
  readonly hash: string;
}

/** Snapshots are believed at a start: each is as written, and of a version that its stream has reached. Answers their number. */
export function checkSnapshots(tx: Statements, versions: ReadonlyMap<string, number>): number {
  const rows = tx.all<StoredSnapshot>(
    "select n.name as stream, version, shape, state, lower(hex(hash)) as hash from snapshots left join names n on n.id = snapshots.stream",
  );
  for (const { stream, version, shape, state, hash } of rows)
    if (stream === null || snapshotHash(stream, version, shape, state) !== hash || version > (versions.get(stream) ?? 0))
      throw finding("altered", `the snapshot of ${stream ?? "an unknown stream"} is not what was stored`);
  return rows.length;
}
