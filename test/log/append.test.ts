/** Appending and reading: what goes in comes out, in one transaction a group, as durable as it asks for. */
import { expect, test } from "bun:test";
import { answered, asked, batch, folder, open, opened, START } from "./fixture.ts";

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
