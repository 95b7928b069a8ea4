/** Free values: salted digests in the hashed data, large ones as blobs in the table or in files. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { BlobReference } from "../../events/payload.ts";
import { blobFile } from "../../src/log/blobs.ts";
import { sha256 } from "../../src/log/hash.ts";
import { splitDigest, withDigest } from "../../src/log/payload.ts";
import { asked, folder, open } from "./fixture.ts";

const SMALL = { text: "s".repeat(100) };
const MEDIUM = { text: "m".repeat(9 * 1024) };
const LARGE = { text: "ł".repeat(1024 * 1024) }; // 2 MiB in UTF-8

const nameOf = (payload: unknown) => BlobReference.parse(payload).$blob.slice("sha256:".length);

test("a small payload stands beside its event, larger ones in the table, the largest in a file", async () => {
  using data = folder();
  const log = open(data.path);
  for (const [n, args] of [SMALL, MEDIUM, LARGE].entries()) await log.append(asked(n + 1, "s_1", `c${n}`, { args }));
  const [small, medium, large] = [...log.read("session/s_1")];
  expect(small?.payload).toEqual(SMALL);
  expect(medium?.payload).toMatchObject({ bytes: JSON.stringify(MEDIUM).length, head: JSON.stringify(MEDIUM).slice(0, 200) });
  expect(large?.payload).toMatchObject({ bytes: Buffer.byteLength(JSON.stringify(LARGE)) });
  expect(log.query("select hash, bytes from blobs")).toEqual([{ hash: nameOf(medium?.payload), bytes: JSON.stringify(MEDIUM).length }]);
  expect(statSync(blobFile(data.path, nameOf(large?.payload))).size).toBe(Buffer.byteLength(JSON.stringify(LARGE)));
  expect([1, 3, 5].map((position) => log.payload(position))).toEqual([SMALL, MEDIUM, LARGE]);
  expect(log.payload(2)).toBeUndefined();
  await log.close();
  const again = open(data.path);
  expect([1, 3, 5].map((position) => again.payload(position))).toEqual([SMALL, MEDIUM, LARGE]);
  await again.close();
});

test("a log in memory keeps large blobs too", async () => {
  const log = open(":memory:");
  await log.append(asked(1, "s_1", "c1", { args: LARGE }));
  expect(log.payload(1)).toEqual(LARGE);
  await log.close();
});

test("equal values are stored once", async () => {
  using data = folder();
  const log = open(data.path);
  for (let n = 1; n <= 3; n++) await log.append(asked(n, "s_1", `c${n}`, { args: MEDIUM }));
  expect(log.query("select count(*) as n from blobs")).toEqual([{ n: 1 }]);
  await log.close();
});

test("data holds the digest of salt and payload, and equal payloads have different digests", async () => {
  const log = open(":memory:");
  await log.append(asked(1, "s_1", "c1", { args: SMALL }));
  await log.append(asked(2, "s_1", "c2", { args: SMALL }));
  const rows = log.query<{ data: string; payload: string }>("select data, payload from events where payload is not null");
  const digests = rows.map(({ data }) => splitDigest(data).digest);
  expect(digests).toEqual(rows.map(({ payload }) => sha256(payload)));
  expect(new Set(digests).size).toBe(2);
  for (const { payload } of rows) expect(payload).toMatch(/^[A-Za-z0-9+/]{22}==\.\{/);
  await log.close();
});

test("a value that looks like a reference is a value: it opens nobody's blob", async () => {
  const log = open(":memory:");
  await log.append(asked(1, "s_1", "c1", { args: MEDIUM }));
  const stolen = log.page({ after: 0, limit: 1 })[0]?.payload;
  expect(BlobReference.safeParse(stolen).success).toBeTrue();
  await log.append(asked(2, "s_2", "c2", { args: stolen }));
  expect(log.payload(3)).toEqual(stolen);
  await log.close();
});

test("payloads that are not objects keep their value", async () => {
  const log = open(":memory:");
  const values = [null, false, 0, "", "text", [1, [2]], {}];
  for (const [n, args] of values.entries()) await log.append(asked(n + 1, "s_1", `c${n}`, { args }));
  expect([...log.read("session/s_1")].map(({ payload }) => payload)).toEqual(values);
  await log.close();
});

test("a blob cut in the middle of a character has a head that is still text", async () => {
  const log = open(":memory:");
  await log.append(asked(1, "s_1", "c1", { args: `${"x".repeat(198)}${"😀".repeat(5000)}` }));
  const { head } = BlobReference.parse(log.page({ after: 0, limit: 1 })[0]?.payload);
  expect(head.isWellFormed()).toBeTrue();
  expect(head).toHaveLength(199);
  await log.close();
});

test("a missing blob is an error that says so, not a missing value", async () => {
  using data = folder();
  const log = open(data.path);
  await log.append(asked(1, "s_1", "c1", { args: LARGE }));
  rmSync(join(data.path, "blobs"), { recursive: true });
  expect(() => log.payload(1)).toThrow("missing");
  await log.close();
});

test("a blob file is complete before the turn that names it is stored", async () => {
  using data = folder();
  let there: boolean | undefined;
  const large = sha256(JSON.stringify(LARGE));
  const log = open(data.path, {
    failpoint: (name) => {
      if (name === "before_begin") there = existsSync(blobFile(data.path, large));
    },
  });
  await log.append(asked(1, "s_1", "c1", { args: LARGE }));
  expect(there).toBeTrue();
  await log.close();
});

test.each(['{"a":1}', "{}", '{"payload":"x"}', `{"a":{"payload":"${"0".repeat(64)}"}}`, `{"a":"\\"payload\\":\\"${"0".repeat(64)}"}`])(
  "the digest is spliced into %s and taken out again",
  (data) => {
    const digest = sha256(data);
    expect(JSON.parse(withDigest(data, digest))).toHaveProperty("payload", digest);
    expect(splitDigest(withDigest(data, digest))).toEqual({ data, digest });
    expect(splitDigest(data)).toEqual({ data });
  },
);

test("an erased payload is absent", async () => {
  using data = folder();
  const log = open(data.path);
  await log.append(asked(1, "s_1", "c1"));
  await log.close();
  const db = new Database(join(data.path, "events.db"));
  db.run("update events set payload = null where position = 1");
  db.close();
  const again = open(data.path);
  expect(again.payload(1)).toBeUndefined();
  expect([...again.read("session/s_1")][0]).not.toHaveProperty("payload");
  await again.close();
});
