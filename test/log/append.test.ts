/** Appending and reading: what goes in comes out, in one transaction a group, as durable as it asks for. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { eventDefinitions } from "../../events/all.ts";
import { defineEvent } from "../../events/define.ts";
import { answered, asked, batch, folder, on, open, opened, START } from "./fixture.ts";

const never = (promise: Promise<unknown>) => Promise.race([promise.then(() => "settled"), Bun.sleep(20).then(() => "pending")]);

test("events come back as they were appended, with position, version, turn and time", async () => {
  const log = open(":memory:");
  await log.append(opened(1, "s_1"));
  await log.append(asked(2, "s_1", "c1", { args: { to: "bob", n: 1 } }));
  await log.append(answered(3, "s_1", "c1", { text: "done", ключ: "\u0000\ud83d\ude00" }));
  const events = [...log.read("session/s_1")];
  expect(events.map(({ position, version, turn, at, type }) => [position, version, turn, at, type])).toEqual([
    [1, 1, 1, START + 10, "session.opened"],
    [2, 2, 2, START + 20, "call.requested"],
    [5, 3, 3, START + 30, "call.answered"],
  ]);
  expect(events[1]).toMatchObject({
    call: "c1",
    schema: 1,
    payload: { to: "bob", n: 1 },
    data: { call: "c1", tool: "send", timeoutMs: 1000 },
  });
  expect(events[1]?.data).not.toHaveProperty("payload");
  expect(events[0]).not.toHaveProperty("call");
  expect(events[2]).not.toHaveProperty("payload");
  expect([...log.read("server/mail", 1)]).toMatchObject([
    { type: "call.settled", version: 2, payload: { text: "done", ключ: "\u0000\ud83d\ude00" } },
  ]);
  expect(log.head).toMatchObject({ position: 5, turn: 3, at: START + 30, hash: events[2]?.hash });
  expect(log.eventsOfCall("c1").map(({ type }) => type)).toEqual(["call.requested", "call.dispatched", "call.settled", "call.answered"]);
  expect(log.eventsOfCall("none")).toEqual([]);
  await log.close();
});

test("pages filter by stream, type and call, and end at their limit", async () => {
  const log = open(":memory:");
  await log.append(opened(1, "s_1"));
  for (let call = 1; call <= 3; call++) {
    await log.append(asked(call * 2, "s_1", `c${call}`));
    await log.append(answered(call * 2 + 1, "s_1", `c${call}`));
  }
  const positions = (request: Partial<Parameters<typeof log.page>[0]>) =>
    log.page({ after: 0, limit: 100, ...request }).map(({ position }) => position);
  expect(positions({})).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
  expect(positions({ after: 4, limit: 3 })).toEqual([5, 6, 7]);
  expect(positions({ type: "call.settled" })).toEqual([4, 8, 12]);
  expect(positions({ stream: "session/s_1", after: 2 })).toEqual([5, 6, 9, 10, 13]);
  expect(positions({ call: "c2" })).toEqual([6, 7, 8, 9]);
  expect(positions({ call: "c2", stream: "server/mail", type: "call.settled" })).toEqual([8]);
  expect(positions({ type: "no.such" })).toEqual([]);
  await log.close();
});

test("turns that wait together share one commit, at most 256 of them", async () => {
  let commits = 0;
  const log = open(":memory:", { failpoint: (name) => void (name === "after_commit" && commits++) });
  await Promise.all(Array.from({ length: 300 }, (_, n) => log.append(opened(n + 1, `s_${n}`))));
  expect(commits).toBe(2);
  expect(log.head.position).toBe(300);
  await log.close();
});

test("an append resolves only after its commit", async () => {
  using data = folder();
  const steps: string[] = [];
  const log = open(data.path, { failpoint: (name) => void steps.push(name) });
  const done = log.append(opened(1, "s_1")).then(() => steps.includes("after_commit"));
  expect(steps).not.toContain("before_begin");
  expect(log.head.position).toBe(0);
  expect(await done).toBeTrue();
  expect(log.head.position).toBe(1);
  await log.close();
});

test("a group is committed FULL if any of it asks for that, else NORMAL", async () => {
  using data = folder();
  const levels: (number | undefined)[] = [];
  const log = open(data.path, {
    failpoint: (name) =>
      void (name === "before_commit" && levels.push(log.query<{ synchronous: number }>("pragma synchronous")[0]?.synchronous)),
  });
  await log.append(asked(1, "s_1", "c1"));
  await log.append(asked(2, "s_1", "c2", { capability: "mutating" }));
  await Promise.all([
    log.append(asked(3, "s_1", "c3")),
    log.append(asked(4, "s_1", "c4", { capability: "mutating" })),
    log.append(asked(5, "s_1", "c5")),
  ]);
  await log.append(asked(6, "s_1", "c6"));
  expect(levels).toEqual([1, 2, 2, 1]);
  await log.close();
});

test("a stream's versions go on after a restart, after it was forgotten, and with events still queued", async () => {
  using data = folder();
  const first = open(data.path);
  await first.append(opened(1, "s_1"));
  await first.close();
  const log = open(data.path);
  const one = log.append(asked(2, "s_1", "c1"));
  expect(log.forget("session/s_1")).toBeFalse();
  const two = log.append(asked(3, "s_1", "c2"));
  await Promise.all([one, two]);
  expect(log.forget("session/s_1")).toBeTrue();
  await log.append(asked(4, "s_1", "c3"));
  expect([...log.read("session/s_1")].map(({ version }) => version)).toEqual([1, 2, 3, 4]);
  await log.close();
});

test("reading a stream is never behind what was appended to it", async () => {
  const log = open(":memory:");
  const done = log.append(opened(1, "s_1"));
  expect([...log.read("session/s_1")]).toHaveLength(1);
  await done;
  await log.close();
});

test("a batch without events stores nothing", async () => {
  const log = open(":memory:");
  await log.append(batch(1, "session/s_1", []));
  expect(log.head).toMatchObject({ position: 0, turn: 0, at: 0 });
  expect(log.query("select * from turns")).toEqual([]);
  await log.close();
});

test("a turn's input stands once: its payload is a reference to the event with the same object", async () => {
  const log = open(":memory:");
  const args = { secretly: "long" };
  await log.append(asked(1, "s_1", "c1", { args }));
  await log.append({ ...answered(2, "s_1", "c1", { own: 1 }), command: { type: "other", payload: { own: 1 } } });
  expect(
    log.query(
      `select turn, at, n.name as "to", command, b.build, b.version from turns join names n on n.id = "to" join builds b on b.id = turns.build`,
    ),
  ).toEqual([
    { turn: 1, at: START + 10, to: "session/s_1", command: '{"type":"test","payload":{"$event":0}}', build: "b1", version: "0.0.0" },
    { turn: 2, at: START + 20, to: "server/mail", command: '{"type":"other"}', build: "b1", version: "0.0.0" },
  ]);
  await log.close();
});

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
