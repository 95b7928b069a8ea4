/** The installation's keys: made once, private, and never silently replaced. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKeys } from "../../src/secrets/keys.ts";

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "toolcrib-keys-"));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const mode = (path: string) => (statSync(join(data, path)).mode & 0o777).toString(8);

test("the first start makes a private folder, a key and a token; the next finds the same", () => {
  const first = openKeys(data);
  expect([mode("keys"), mode("keys/installation.key"), mode("keys/operator.token")]).toEqual(["700", "600", "600"]);
  expect(readdirSync(join(data, "keys")).sort()).toEqual(["installation.key", "operator.token"]);
  expect(readFileSync(join(data, "keys/installation.key"))).toHaveLength(32);
  expect(Buffer.from(first.operatorToken, "base64url").length).toBeGreaterThanOrEqual(16);
  expect([first.created, first.warnings]).toEqual([true, []]);
  const second = openKeys(data);
  expect([second.digests, second.markers, second.operatorToken]).toEqual([first.digests, first.markers, first.operatorToken]);
  expect(second.created).toBe(false);
});

test("every purpose has a key of its own, and every installation others", () => {
  const keys = openKeys(data);
  const made = [
    keys.digests,
    keys.markers,
    keys.derive("a"),
    keys.derive("b"),
    new Uint8Array(readFileSync(join(data, "keys/installation.key"))),
  ];
  expect(new Set(made.map((bytes) => Buffer.from(bytes).toString("hex"))).size).toBe(5);
  expect(made.map(({ length }) => length)).toEqual([32, 32, 32, 32, 32]);
  expect(keys.derive("a")).toEqual(keys.derive("a"));
  expect(openKeys(join(data, "another")).digests).not.toEqual(keys.digests);
});

test("a damaged key or token is refused, not replaced", () => {
  openKeys(data);
  writeFileSync(join(data, "keys/installation.key"), "short");
  expect(() => openKeys(data)).toThrow(/holds 5 bytes instead of 32\. Restore it from a backup/);
  expect(readFileSync(join(data, "keys/installation.key"), "utf8")).toBe("short");
  rmSync(join(data, "keys/installation.key"));
  writeFileSync(join(data, "keys/operator.token"), "\n");
  expect(() => openKeys(data)).toThrow(/holds no token/);
});

test("permissions that let others in are named, with what to do", () => {
  openKeys(data);
  chmodSync(join(data, "keys/installation.key"), 0o644);
  chmodSync(join(data, "keys"), 0o755);
  const { warnings } = openKeys(data);
  expect(warnings).toHaveLength(2);
  expect(warnings.join("\n")).toContain("installation.key");
  expect(warnings.join("\n")).toContain("chmod go=");
});
