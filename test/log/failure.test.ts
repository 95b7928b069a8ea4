/** Failing, and what is kept beside events: a log that cannot write ends; snapshots and definitions ride along; old schemas are upcast. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { eventDefinitions } from "../../events/all.ts";
import { defineEvent } from "../../events/define.ts";
import { asked, batch, folder, on, open, opened } from "./fixture.ts";

const never = (promise: Promise<unknown>) => Promise.race([promise.then(() => "settled"), Bun.sleep(20).then(() => "pending")]);

test("a failed commit ends the log: nothing of the group is stored, no promise settles, nothing is written afterwards", async () => {
  const failures: unknown[] = [];
  let broken = false;
  const log = open(":memory:", {
    onFailure: (error) => void failures.push(error),
    failpoint: (name) => {
      if (broken && name === "before_commit") throw new Error("no more");
    },
  });
  await log.append(opened(1, "s_1"));
  broken = true;
  const group = [log.append(opened(2, "s_2")), log.append(opened(3, "s_3"))];
  expect(await never(Promise.race(group))).toBe("pending");
  broken = false;
  expect(await never(log.append(opened(4, "s_4")))).toBe("pending");
  expect(failures).toEqual([new Error("no more")]);
  expect(log.head.position).toBe(1);
  expect(log.query("select position from events")).toEqual([{ position: 1 }]);
  await log.close();
});

test("what cannot be stored as JSON is a failure of the log as well, and not an exception in its caller", async () => {
  const failures: unknown[] = [];
  const log = open(":memory:", { onFailure: (error) => void failures.push(error) });
  const loop: Record<string, unknown> = {};
  loop["loop"] = loop;
  expect(await never(log.append(asked(1, "s_1", "c1", { args: loop })))).toBe("pending");
  expect(failures).toHaveLength(1);
  await log.close();
});

test("a turn number that was used before is refused by the table, not stored twice", async () => {
  const failures: unknown[] = [];
  const log = open(":memory:", { onFailure: (error) => void failures.push(error) });
  await log.append(opened(1, "s_1"));
  expect(await never(log.append(opened(1, "s_2")))).toBe("pending");
  expect(String(failures[0])).toContain("turns.turn");
  await log.close();
});

test("snapshots and definitions are read at once, stored with the next append or at the close, and survive", async () => {
  using data = folder();
  const definition = JSON.stringify({ name: "send" });
  const hash = Bun.SHA256.hash(definition, "hex");
  const log = open(data.path);
  await log.append(opened(1, "s_1"));
  log.saveSnapshot({ stream: "session/s_1", version: 1, shape: 3, state: { open: ["a"] } });
  log.define(hash, definition);
  expect(log.snapshot("session/s_1")).toEqual({ stream: "session/s_1", version: 1, shape: 3, state: { open: ["a"] } });
  expect(log.definition(hash)).toBe(definition);
  expect(log.query("select * from snapshots")).toEqual([]);
  await log.append(opened(2, "s_2"));
  expect(log.query("select version, state from snapshots")).toEqual([{ version: 1, state: '{"open":["a"]}' }]);
  log.saveSnapshot({ stream: "session/s_2", version: 1, shape: 3, state: 7 });
  await log.close();
  const again = open(data.path);
  expect(again.snapshot("session/s_1")?.state).toEqual({ open: ["a"] });
  expect(again.snapshot("session/s_2")?.state).toBe(7);
  expect(again.snapshot("session/s_3")).toBeUndefined();
  expect(again.definition(hash)).toBe(definition);
  expect(() => again.define("beef", definition)).toThrow("SHA-256");
  await again.close();
});

test("a snapshot is not stored before the events that it was folded from", async () => {
  const stored: unknown[] = [];
  const log = open(":memory:", {
    failpoint: (name) => void (name === "after_commit" && stored.push(log.query("select version from snapshots"))),
  });
  const all = Array.from({ length: 300 }, (_, n) => log.append(asked(n + 1, "s_1", `c${n}`)));
  log.saveSnapshot({ stream: "session/s_1", version: 300, shape: 1, state: {} });
  await Promise.all(all);
  expect(stored).toEqual([[], [{ version: 300 }]]);
  await log.close();
});

test("an older schema is upcast when it is read, a newer one and an unknown type are refused", async () => {
  using data = folder();
  const Old = defineEvent("test.happened", z.strictObject({ n: z.int() }));
  const New = defineEvent("test.happened", z.strictObject({ count: z.int() }), { upcasters: [(old: { n: number }) => ({ count: old.n })] });
  const definitions = (definition: typeof Old | typeof New) => new Map([...eventDefinitions, [definition.type, definition] as const]);
  const log = open(data.path, { definitions: definitions(Old), projections: [] });
  await log.append(batch(1, "test/1", [on("test/1", Old({ n: 5 }))]));
  await log.close();
  const newer = open(data.path, { definitions: definitions(New), projections: [] });
  expect([...newer.read("test/1")]).toMatchObject([{ schema: 2, data: { count: 5 } }]);
  await newer.append(batch(2, "test/1", [on("test/1", New({ count: 6 }))]));
  await newer.close();
  const older = open(data.path, { definitions: definitions(Old), projections: [] });
  expect(() => [...older.read("test/1")]).toThrow("newer release");
  await older.close();
  const unknowing = open(data.path, { projections: [] });
  expect(() => [...unknowing.read("test/1")]).toThrow("does not know");
  await unknowing.close();
});
