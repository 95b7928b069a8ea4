/** The turn: one input, one batch; nothing happens when it throws; nothing is shown before it is durable. */
import { describe, expect, test } from "bun:test";
import { EMPTY_CATALOGUE } from "../../actors/catalogue.ts";
import { ServerRegistered } from "../../events/registry.ts";
import type { Batch, EventLog } from "../../src/runtime/event-log.ts";
import { createRuntime } from "../../src/runtime/turn.ts";
import { harness, memoryLog } from "../harness.ts";

const opening = { type: "open", agent: "ada", name: "desk", client: "cli", era: "rest", profile: "default" };
const register = {
  type: "configure",
  digest: "",
  limits: EMPTY_CATALOGUE.limits,
  naming: "prefixed",
  servers: [{ name: "mail", id: "aaaaaaaaaaaa", origin: "operator", transport: "stdio" }],
  policies: {},
};

/** A log whose commits wait until the test lets them through. */
function heldLog() {
  const log = memoryLog();
  const held: { batch: Batch; release: () => void }[] = [];
  const append = (batch: Batch) =>
    new Promise<void>((release) => held.push({ batch, release: () => void log.append(batch).then(release) }));
  return {
    log: {
      ...log,
      append,
      get head() {
        return log.head;
      },
    } satisfies EventLog,
    held,
  };
}
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a turn", () => {
  test("has one time for all its events, and time never runs backwards", async () => {
    const log = memoryLog();
    let now = 5_000;
    const runtime = createRuntime({ log, now: () => now, perform: () => undefined });
    await runtime.enter("session/s_1", opening);
    now = 1_000;
    await runtime.enter("session/s_2", opening);
    expect(log.page({ after: 0, limit: 10 }).map(({ at }) => at)).toEqual([5_000, 5_000]);
  });

  test("makes ids from its own number, so that a replay makes the same", async () => {
    const log = memoryLog();
    const runtime = createRuntime({ log, now: Date.now, perform: () => undefined });
    const ids: string[] = [];
    for (const session of ["s_1", "s_2"])
      await runtime.enter(`session/${session}`, ({ id }) => {
        ids.push(id("c"), id("c"));
        return opening;
      });
    expect(ids).toEqual(["c_1-0", "c_1-1", "c_2-0", "c_2-1"]);
  });

  test("that emits nothing stores nothing", async () => {
    const log = memoryLog();
    const runtime = createRuntime({ log, now: Date.now, perform: () => undefined });
    await runtime.enter("session/s_1", { type: "settle", call: "c_9", certainty: "answered" });
    expect(log.head.position).toBe(0);
    expect(log.query("select * from turns")).toEqual([]);
  });

  test("that throws records turn.failed alone, and the caller hears of it", async () => {
    const log = memoryLog();
    const told: unknown[] = [];
    const runtime = createRuntime({ log, now: Date.now, perform: () => undefined, onTurnFailed: (to) => told.push(to) });
    expect(runtime.enter("session/s_1", { type: "no-such-command" })).rejects.toThrow("does not know the command");
    await tick();
    await tick();
    expect(log.page({ after: 0, limit: 10 }).map(({ type }) => type)).toEqual(["turn.failed"]);
    expect(told).toEqual(["session/s_1"]);
  });

  test("publishes what the registry decided only when it is durable", async () => {
    const { log, held } = heldLog();
    const runtime = createRuntime({ log, now: Date.now, perform: () => undefined });
    const done = runtime.enter("registry", register);
    expect(runtime.catalogue().servers.size).toBe(0);
    held[0]?.release();
    await done;
    expect(runtime.catalogue().servers.size).toBe(1);
  });

  test("lets effects go only after its commit", async () => {
    const { log, held } = heldLog();
    const effects: string[] = [];
    const runtime = createRuntime({ log, now: Date.now, perform: ({ type }) => effects.push(type) });
    const done = runtime.enter("registry", { ...register, digest: "d1" });
    await tick();
    expect(effects).toEqual([]);
    held[0]?.release();
    await done;
    expect(effects).toEqual(["publish", "publish"]);
  });

  test("sees what earlier turns decided although they are not durable yet", async () => {
    const { log, held } = heldLog();
    const runtime = createRuntime({ log, now: Date.now, perform: () => undefined });
    void runtime.enter("session/s_1", opening);
    void runtime.enter("session/s_1", opening);
    expect(held.map(({ batch }) => batch.events.length)).toEqual([1]);
  });

  test("asks for FULL when one of its events must survive a power cut", async () => {
    const { log, held } = heldLog();
    const runtime = createRuntime({ log, now: Date.now, perform: () => undefined });
    void runtime.enter("session/s_1", opening);
    void runtime.enter("registry", register);
    expect(held.map(({ batch }) => batch.durability)).toEqual(["normal", "full"]);
  });
});

describe("states", () => {
  test("come back from the log in another process", async () => {
    const log = memoryLog();
    await createRuntime({ log, now: Date.now, perform: () => undefined }).enter("registry", register);
    const again = createRuntime({ log, now: Date.now, perform: () => undefined });
    expect(again.catalogue().servers.get("mail")).toMatchObject({ id: "aaaaaaaaaaaa" });
  });

  test("are snapshot each thousand own events, and read from there", async () => {
    const log = memoryLog();
    const runtime = createRuntime({ log, now: Date.now, perform: () => undefined });
    for (let n = 0; n < 500; n++) {
      await runtime.enter("registry", register);
      await runtime.enter("registry", { ...register, servers: [] });
    }
    const snapshot = log.snapshot("registry");
    expect(snapshot?.version).toBe(1000);
    const read: number[] = [];
    const counting: EventLog = {
      ...log,
      head: log.head,
      *read(stream, after) {
        for (const event of log.read(stream, after)) {
          read.push(event.version);
          yield event;
        }
      },
    };
    await runtime.enter("registry", register);
    expect(createRuntime({ log: counting, now: Date.now, perform: () => undefined }).catalogue().servers.size).toBe(1);
    expect(read).toEqual([1001]);
  });

  test("of another shape are folded anew", async () => {
    const log = memoryLog();
    await createRuntime({ log, now: Date.now, perform: () => undefined }).enter("registry", register);
    log.saveSnapshot({ stream: "registry", version: 1, shape: 999, state: { nonsense: true } });
    expect(createRuntime({ log, now: Date.now, perform: () => undefined }).catalogue().servers.size).toBe(1);
  });

  test("leave memory when they are quiet, and are the same afterwards", async () => {
    const { runtime, session } = await harness();
    const ada = await session("s_1");
    await ada.call("call_status");
    const before = runtime.stateOf("session/s_1");
    const { size } = runtime.actors;
    expect(runtime.actors.passivate("session/s_1")).toBe(true);
    expect(runtime.actors.size).toBe(size - 1);
    expect(runtime.stateOf("session/s_1")).toEqual(before);
  });

  test("stay while something is open", async () => {
    const { runtime } = await harness();
    expect(runtime.actors.passivate("registry")).toBe(false);
  });
});

test("an event definition of the registry is what the log gives back", async () => {
  const log = memoryLog();
  await createRuntime({ log, now: Date.now, perform: () => undefined }).enter("registry", register);
  const { type, data } = ServerRegistered({ name: "mail", id: "aaaaaaaaaaaa", origin: "operator", transport: "stdio" });
  expect([...log.read("registry")][0]).toMatchObject({ type, data });
});
