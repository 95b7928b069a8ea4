/** Findings about sessions, time and sizes. Each test is marked as failing: when its finding is mended it says so, and the mark goes. */
import { describe, expect, test } from "bun:test";
import type { SessionState } from "../../actors/session-commands.ts";
import { createSessions } from "../../src/doors/sessions.ts";
import { actorKinds } from "../../src/runtime/actors.ts";
import { settle as runTurn } from "../../src/runtime/settle.ts";
import { createTimers, systemClock } from "../../src/runtime/timers.ts";
import { fakeServer, harness, memoryLog, text } from "../harness.ts";

const principal = { agent: "ada", profile: "default" };

async function doors() {
  const mail = fakeServer();
  const world = await harness({ servers: { mail } });
  const { runtime, log, clock, vault } = world;
  let ids = 0;
  const sessions = createSessions({ runtime, log, now: clock.now, vault, limitOf: () => 0, randomId: () => String(++ids) });
  const open = (name: string) => sessions.open({ principal, name, client: "test", era: "modern" });
  return { ...world, mail, sessions, open };
}

describe("an outcome", () => {
  test("whose client left between its turn and its commit is announced", async () => {
    const mail = fakeServer();
    const { session, settle } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    const client = new AbortController();
    void ada.ask("mail__act", {}, { signal: client.signal });
    await settle();
    mail.calls[0]?.answer(text("sent"));
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    client.abort("disconnected");
    await settle();
    expect((await ada.call("call_status")).content[0]?.text).toContain("Notice");
  });

  test("that is nested very deeply does not end the log", async () => {
    const mail = fakeServer();
    const { session, settle, log } = await harness({ servers: { mail } });
    void (await session("s_1")).ask("mail__act");
    await settle();
    const deep: unknown = JSON.parse("[".repeat(60_000) + "]".repeat(60_000));
    mail.calls[0]?.answer({ kind: "result", result: { content: [], structuredContent: { deep } } });
    await settle();
    await settle();
    expect(log.query("select 1 from calls where status = 'in_flight'")).toEqual([]);
  });
});

describe("sessions", () => {
  const unheard = async (world: Awaited<ReturnType<typeof doors>>, name: string) => {
    const { id } = await world.open(name);
    const client = new AbortController();
    void world.ask({ caller: { session: id, agent: "ada", profile: "default" }, name: "mail__act", arguments: {}, signal: client.signal });
    await world.settle();
    client.abort("disconnected");
    await world.settle();
    world.mail.calls.at(-1)?.answer(text("sent"));
    await world.settle();
    return id;
  };
  const notices = (world: Awaited<ReturnType<typeof doors>>, id: string) =>
    (world.runtime.stateOf(`session/${id}`) as SessionState).notices;

  test("inherit from a former one however many others were opened in between", async () => {
    const world = await doors();
    await unheard(world, "first");
    for (let count = 0; count < 9; count++) {
      await world.clock.advance(1_000);
      await world.open(`other ${count}`);
    }
    await world.clock.advance(600_001);
    const heir = await world.open("heir");
    expect(notices(world, heir.id)).toHaveLength(1);
  });

  test("that were handed on and come back are told of their own new outcomes", async () => {
    const world = await doors();
    await unheard(world, "first");
    await world.clock.advance(600_001);
    await world.open("heir");
    const first = await unheard(world, "first");
    expect(notices(world, first)).toHaveLength(1);
  });

  test("that left memory do not come back for each new one", async () => {
    const { open, sessions, runtime, clock } = await doors();
    const before = runtime.actors.size;
    for (let count = 0; count < 20; count++) {
      await open(`session ${count}`);
      await clock.advance(600_001);
      sessions.passivateIdle();
    }
    expect(runtime.actors.size).toBeLessThanOrEqual(before + 1);
  });
});

describe("time", () => {
  test("a deadline is as long as it says when the clock was set back", async () => {
    const [log, mail] = [memoryLog(), fakeServer()];
    const before = await harness({ servers: { mail }, log });
    await before.clock.advance(3_600_000);
    await before.session("s_0");
    const { session, settle, clock } = await harness({ servers: { mail }, log });
    const end = (await session("s_1")).ask("mail__act");
    await settle();
    await clock.advance(56_000);
    expect(await end).toMatchObject({ code: "timeout" });
  });

  test("a delay of more than 24 days is not taken for none", async () => {
    let rang = false;
    const stop = systemClock.after(2 ** 31, () => {
      rang = true;
    });
    await Bun.sleep(30);
    stop();
    expect(rang).toBe(false);
  });

  test("setting a timer does not look at every other one", () => {
    const looks = { at: 0 };
    const timers = createTimers({ now: () => 0, after: () => () => undefined }, () => undefined);
    const timer = (key: number) => ({
      address: "server/mail",
      key: String(key),
      get at() {
        looks.at++;
        return 1_000 + key;
      },
    });
    for (let key = 0; key < 500; key++) timers.set(timer(key));
    expect(looks.at).toBeLessThan(500 * 20);
  });
});

describe("a turn", () => {
  test("may end as many waiting calls as the configuration allows", () => {
    const waiting = Array.from({ length: 4_000 }, (_, call) => ({ call: `c_${call}`, session: "s_1", agent: "ada", tool: "act" }));
    const state = { id: "x", connected: false, inFlight: {}, waiting, inDoubt: {} };
    const actors = {
      actorAt: (address: string) => actorKinds[address.split("/")[0] ?? ""] ?? expect.unreachable(),
      stateOf: (address: string) => (address === "server/mail" ? state : actorKinds[address.split("/")[0] ?? ""]?.initialState),
    };
    const input = { to: "server/mail", command: { type: "unreachable", reason: "gone" }, now: 0, id: (prefix: string) => prefix };
    expect(() => runTurn(actors, input)).not.toThrow();
  }, 20_000);
});
