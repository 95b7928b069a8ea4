/** The sealed store: what it keeps, who can open it, and what becomes of values that were altered. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { openSealedStore, SEALED_DATABASE } from "../../src/secrets/sealed.ts";

const KEY = new Uint8Array(32).fill(7);
let data: string;
let clock = 1000;
const now = () => clock;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "toolcrib-sealed-"));
  clock = 1000;
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

test("a value is there again after the store was closed, under its kind and name only", () => {
  const first = openSealedStore(data, KEY, now);
  first.put("secret", "GITHUB", "ghp_value");
  first.put("oauth", "GITHUB", "another");
  first.close();
  const second = openSealedStore(data, KEY, now);
  expect(second.get("secret", "GITHUB")).toBe("ghp_value");
  expect(second.get("oauth", "GITHUB")).toBe("another");
  expect(second.get("secret", "github")).toBeUndefined();
  second.close();
});

test("any text is given back as it was", () => {
  const store = openSealedStore(":memory:", KEY, now);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (name, value) => {
      store.put("secret", name, value);
      expect(store.get("secret", name)).toBe(value);
    }),
  );
  store.close();
});

test("names are listed with the time of their last change, which only moves forward", () => {
  const store = openSealedStore(data, KEY, now);
  store.put("secret", "b", "1");
  store.put("secret", "a", "1");
  store.put("oauth", "c", "1");
  clock = 500; // a clock that was set back
  store.put("secret", "a", "2");
  expect(store.names("secret")).toEqual([
    { name: "a", updatedAt: 1001 },
    { name: "b", updatedAt: 1000 },
  ]);
  expect([store.remove("secret", "a"), store.remove("secret", "a")]).toEqual([true, false]);
  expect(store.names("secret").map(({ name }) => name)).toEqual(["b"]);
  store.close();
});

test("no file holds the value, none can be read by others, and nothing is left of what was removed", () => {
  const store = openSealedStore(data, KEY, now);
  store.put("secret", "a", "a-value-to-look-for");
  const files = readdirSync(data).map((name) => join(data, name));
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) {
    expect(`${file} ${(statSync(file).mode & 0o777).toString(8)}`).toBe(`${file} 600`);
    expect(readFileSync(file).includes("a-value-to-look-for")).toBe(false);
  }
  store.close();
  const raw = new Database(join(data, SEALED_DATABASE), { readonly: true });
  const { value } = raw.query<{ value: Uint8Array }, []>("select value from sealed").get() ?? { value: new Uint8Array() };
  raw.close();
  const again = openSealedStore(data, KEY, now);
  again.remove("secret", "a");
  again.close();
  for (const file of files) if (statSync(file, { throwIfNoEntry: false })) expect(readFileSync(file).includes(value)).toBe(false);
});

/** Every file of the data folder that holds a part of what is sealed under this name. */
function holdersOf(name: string): () => string[] {
  const raw = new Database(join(data, SEALED_DATABASE), { readonly: true });
  const { value } = raw.query<{ value: Uint8Array }, [string]>("select value from sealed where name = ?").get(name) ?? {};
  raw.close();
  if (value === undefined) throw new Error(`nothing is sealed under ${name}`);
  const parts = [0, value.length >> 1, value.length - 24].map((at) => Buffer.from(value.subarray(at, at + 24)));
  return () => readdirSync(data).filter((file) => parts.some((part) => readFileSync(join(data, file)).includes(part)));
}

test.each([
  ["a short value", 10],
  ["one of many pages", 200_000],
])("while the store stays open, nothing is left of what was removed or replaced: %s", (_, length) => {
  const due: (() => void)[] = [];
  const after = (run: () => void) => {
    due.push(run);
    return () => undefined;
  };
  const later = () => {
    for (const run of due.splice(0)) run();
  };
  const store = openSealedStore(data, KEY, now, undefined, after);
  store.put("question", "a", "a".repeat(length));
  store.put("question", "b", "b".repeat(length));
  const [a, b] = [holdersOf("a"), holdersOf("b")];
  expect([a().length, b().length, due.length]).toEqual([1, 1, 0]);
  store.remove("question", "a");
  store.put("question", "b", "other");
  store.remove("question", "none");
  expect(due).toHaveLength(1);

  const reader = new Database(join(data, SEALED_DATABASE), { readonly: true });
  reader.run("begin");
  reader.query("select count(*) from sealed").get();
  later();
  expect(due).toHaveLength(1); // somebody reads: once more, later
  reader.run("commit");
  reader.close();
  later();
  expect([a(), b(), due]).toEqual([[], [], []]);
  expect(store.get("question", "b")).toBe("other");

  const other = holdersOf("b");
  store.remove("question", "b"); // and it is killed before it comes to more
  expect(other()).not.toEqual([]);
  openSealedStore(data, KEY, now).close();
  expect(other()).toEqual([]);
  store.close();
});

test("a value that was altered, moved to another name or sealed with another key counts as missing, and that is told without the value", () => {
  const store = openSealedStore(data, KEY, now);
  store.put("secret", "a", "the-first-value");
  store.put("secret", "b", "the-second-value");
  store.put("secret", "c", "the-third-value");
  store.close();
  const raw = new Database(join(data, SEALED_DATABASE));
  raw.run("update sealed set value = (select value from sealed where name = 'b') where name = 'a'");
  raw.run("update sealed set value = x'00' where name = 'c'");
  raw.close();
  const problems: string[] = [];
  const report = (problem: string) => problems.push(problem);
  const opened = openSealedStore(data, KEY, now, report);
  expect(["a", "b", "c", "d"].map((name) => opened.get("secret", name))).toEqual([undefined, "the-second-value", undefined, undefined]);
  opened.close();
  const foreign = openSealedStore(data, new Uint8Array(32), now, report);
  expect(foreign.get("secret", "b")).toBeUndefined();
  foreign.close();
  expect(problems).toHaveLength(3);
  for (const problem of problems) expect(problem).toMatch(/^the secret [abc] in .*sealed\.db cannot be opened: .* set it again$/);
});

test("every bit of a sealed value counts", () => {
  const store = openSealedStore(data, KEY, now);
  store.put("secret", "a", "x");
  const raw = new Database(join(data, SEALED_DATABASE));
  const { value } = raw.query<{ value: Uint8Array }, []>("select value from sealed").get() ?? { value: new Uint8Array() };
  expect(value.length).toBe(12 + 1 + 16);
  for (let bit = 0; bit < value.length * 8; bit++) {
    const altered = Uint8Array.from(value);
    altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    raw.run("update sealed set value = ?", [altered]);
    expect(store.get("secret", "a")).toBeUndefined();
  }
  raw.close();
  store.close();
});

test("two connections see what the other wrote", () => {
  const one = openSealedStore(data, KEY, now);
  const other = openSealedStore(data, KEY, now);
  one.put("secret", "a", "1");
  expect(other.get("secret", "a")).toBe("1");
  other.put("secret", "a", "2");
  expect(one.get("secret", "a")).toBe("2");
  one.close();
  other.close();
});

test("processes that make the store together all write to the same one", async () => {
  const script = `
    const { openSealedStore } = await import(${JSON.stringify(join(import.meta.dir, "../../src/secrets/sealed.ts"))});
    const store = openSealedStore(process.argv[1], new Uint8Array(32).fill(7), Date.now);
    store.put("secret", process.argv[2], "value of " + process.argv[2]);
    store.close();`;
  const children = Array.from({ length: 6 }, (_, i) =>
    Bun.spawn([process.execPath, "-e", script, data, `n${i}`], { stdout: "inherit", stderr: "inherit" }),
  );
  expect(await Promise.all(children.map(({ exited }) => exited))).toEqual([0, 0, 0, 0, 0, 0]);
  const store = openSealedStore(data, KEY, now);
  expect(store.names("secret").map(({ name }) => store.get("secret", name))).toEqual([0, 1, 2, 3, 4, 5].map((i) => `value of n${i}`));
  store.close();
});
