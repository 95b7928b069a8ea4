/** Deciding the recorded turns again. */
import { describe, expect, spyOn, test } from "bun:test";
import { ProcessStarted } from "../../events/system.ts";
import { verifyDeep } from "../../src/audit/deep.ts";
import { fakeServer, harness, text } from "../harness.ts";
import { batch, on, open } from "../log/fixture.ts";

/** A log of calls that were answered, refused, lost, settled by hand, and queued. */
async function history() {
  const server = fakeServer();
  const { log, session, settle, runtime } = await harness({ servers: { srv: server }, limits: { slotsPerServer: 2 } });
  const agent = await session("s1");
  const calls = ["a", "b", "c", "d"].map((path) => agent.ask("srv__act", { path }));
  await settle();
  for (const { answer } of server.calls.splice(0, 1)) answer(text("done"));
  await settle();
  await agent.ask("srv__none");
  server.crash();
  await settle();
  await Promise.race([Promise.all(calls), settle()]);
  const doubt = log.query<{ call: string }>("select call from doubts order by call limit 1")[0];
  await agent.ask("resolve_call", { call: doubt?.call, outcome: "applied", note: "seen" });
  await runtime.enter("session/s1", { type: "disconnect", connection: "none" });
  return log;
}

describe("a log as it was written", () => {
  test("every turn decides the same events again", async () => {
    const log = await history();
    const { turns, redecided, skipped, mismatches } = verifyDeep(log, "test");
    expect(mismatches).toEqual([]);
    expect(skipped).toEqual([]);
    expect(redecided).toBe(turns);
    expect(turns).toBe(log.query<{ n: number }>("select count(*) as n from turns")[0]?.n ?? -1);
    expect(log.query("select 1 from events e join names n on n.id = e.type where n.name = 'call.resolved'")).toHaveLength(1);
  });

  test("turns of another build are folded, not judged", async () => {
    const log = await history();
    const { turns, redecided, skipped } = verifyDeep(log, "other");
    expect(redecided).toBe(0);
    expect(skipped).toEqual([{ build: "test", version: "0", turns }]);
  });

  test("erased payloads change nothing", async () => {
    const log = await history();
    await log.erase({ session: "s1", by: "test", reason: "test", at: log.head.at });
    expect(log.page({ after: 0, limit: 1000 }).filter(({ type, payload }) => type === "call.requested" && payload !== undefined)).toEqual(
      [],
    );
    expect(verifyDeep(log, "test").mismatches).toEqual([]);
  });

  test("neither the clock nor chance nor the world is asked", async () => {
    const log = await history();
    const forbid = (what: string) => (): never => {
      throw new Error(`${what} was used`);
    };
    const stubs = [
      spyOn(Date, "now").mockImplementation(forbid("the clock")),
      spyOn(performance, "now").mockImplementation(forbid("the clock")),
      spyOn(Math, "random").mockImplementation(forbid("chance")),
      spyOn(crypto, "getRandomValues").mockImplementation(forbid("chance")),
      spyOn(crypto, "randomUUID").mockImplementation(forbid("chance")),
      spyOn(globalThis, "fetch").mockImplementation(Object.assign(forbid("the network"), { preconnect: forbid("the network") })),
      spyOn(Bun, "spawn").mockImplementation(forbid("a process")),
      spyOn(globalThis, "setTimeout").mockImplementation(Object.assign(forbid("a timer"), { __promisify__: forbid("a timer") })),
    ];
    try {
      expect(verifyDeep(log, "test").mismatches).toEqual([]);
      expect(() => Date.now()).toThrow();
    } finally {
      for (const stub of stubs) stub.mockRestore();
    }
  });
});

describe("a log that its inputs do not explain", () => {
  const start = (turn: number, version: string, ...recorded: string[]) => ({
    ...batch(
      turn,
      "system",
      recorded.map((as) => on("system", ProcessStarted({ version: as, build: "b" }))),
    ),
    command: { type: "start", version, build: "b" },
  });

  test("another value, a missing event, one too many, and an unknown input are each named with turn, position and stream", async () => {
    const log = open(":memory:");
    for (const turn of [
      start(1, "1", "1"),
      start(2, "1", "2"),
      start(3, "1", "1", "1"),
      { ...start(4, "1", "1"), command: { type: "dance" } },
      { ...start(5, "1", "1"), command: { type: "stop", reason: "r" } },
    ])
      await log.append(turn);
    const { mismatches } = verifyDeep(log, "b1");
    expect(mismatches).toMatchObject([
      { turn: 2, position: 2, stream: "system", detail: expect.stringContaining("another version") },
      { turn: 3, position: 4, stream: "system", detail: expect.stringContaining("does not follow") },
      { turn: 4, position: 5, stream: "system", detail: expect.stringContaining("dance") },
      { turn: 5, position: 6, stream: "system", detail: expect.stringContaining("process.stopped of system follows") },
    ]);
  });

  test("an event that should have been recorded is missed", async () => {
    const log = open(":memory:");
    const command = { type: "bequeath", to: "s_2" };
    const { SessionBequeathed } = await import("../../events/session.ts");
    await log.append({ ...batch(1, "session/s_1", [on("session/s_1", SessionBequeathed({ to: "s_2", calls: ["c_1"] }))]), command });
    expect(verifyDeep(log, "b1").mismatches).toMatchObject([{ turn: 1, position: 1, stream: "session/s_1" }]);
  });
});
