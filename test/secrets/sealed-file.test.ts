/** Which files are opened as a sealed store, and with which key. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKeys } from "../../src/secrets/keys.ts";
import { openSealedStore, SEALED_DATABASE, SEALED_PURPOSE } from "../../src/secrets/sealed.ts";

const KEY = new Uint8Array(32).fill(7);
let data: string;
const now = () => 1000;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "toolcrib-sealed-"));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

test("a file that is no store of ours is refused and left alone", () => {
  const path = join(data, SEALED_DATABASE);
  writeFileSync(path, "this is not a database, whatever its name says; it is long enough to be one");
  expect(() => openSealedStore(data, KEY, now)).toThrow(/is damaged, or no database .* set its secrets again/);
  expect(readFileSync(path, "utf8")).toStartWith("this is not a database");
  rmSync(path);
  const other = new Database(path);
  other.run("pragma application_id=1");
  other.close();
  expect(() => openSealedStore(data, KEY, now)).toThrow(/database of another program/);
});

test("a store of a later release is refused", () => {
  openSealedStore(data, KEY, now).close();
  const raw = new Database(join(data, SEALED_DATABASE));
  raw.run("pragma user_version=99");
  raw.close();
  expect(() => openSealedStore(data, KEY, now)).toThrow(/has schema 99, this program knows 1/);
});

test("an installation's key opens what it sealed, and nothing of another installation", () => {
  const keyOf = (folder: string) => openKeys(folder).derive(SEALED_PURPOSE);
  const store = openSealedStore(data, keyOf(data), now);
  store.put("secret", "a", "mine");
  store.close();
  const again = openSealedStore(data, keyOf(data), now);
  expect(again.get("secret", "a")).toBe("mine");
  again.close();
  const stranger = openSealedStore(data, keyOf(join(data, "other")), now);
  expect(stranger.get("secret", "a")).toBeUndefined();
  stranger.close();
});
