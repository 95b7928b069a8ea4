/** When a server is tried: at once, a few times more, then at every sweep, and whenever a call waits for it. */
import { describe, expect, test } from "bun:test";
import { REFUSED, world } from "./fixture.ts";

describe("a server that cannot be reached", () => {
  test("is known before the first attempt, tried twice more with doubling pauses, and then at every sweep, for ever", async () => {
    const { server, apply, clock, attempts, connections, types } = world();
    server.reachable = false;
    apply();
    expect(connections.of("mail")?.wanted.name).toBe("mail");
    await clock.advance(2999);
    expect([attempts, types()]).toEqual([[0, 1], []]);
    await clock.advance(1);
    expect([attempts, types()]).toEqual([[0, 1, 3], ["unreachable"]]);
    await clock.advance(60_000);
    expect(attempts).toEqual([0, 1, 3, 63]);
    await clock.advance(3600_000);
    expect(attempts.slice(0, 9)).toEqual([0, 1, 3, 63, 64, 66, 126, 127, 129]);
    server.reachable = true;
    await clock.advance(60_000);
    expect(connections.of("mail")?.state).toBe("connected");
  });

  test("is left alone after its attempts when there is no sweep, until a call waits for it", async () => {
    const { server, apply, clock, attempts, connections, types } = world({ connectRetryCount: 0, sweepSeconds: 0 });
    server.reachable = false;
    apply();
    await clock.advance(3600_000);
    expect(attempts).toEqual([0]);
    connections.hurry("MAIL");
    await clock.advance(3600_000);
    expect([attempts, types()]).toEqual([
      [0, 3600],
      ["unreachable", "unreachable"],
    ]);
    server.reachable = true;
    connections.hurry("mail");
    await clock.advance(0);
    expect(connections.of("mail")?.state).toBe("connected");
  });

  test("is tried at once when a call waits for it, and the call is told only when no attempt is left", async () => {
    const { server, apply, clock, attempts, connections, types } = world();
    server.reachable = false;
    apply();
    await clock.advance(500);
    connections.hurry("mail");
    await clock.advance(1999);
    expect([attempts, types()]).toEqual([[0, 0.5], []]);
    await clock.advance(1);
    expect([attempts, types()]).toEqual([[0, 0.5, 2.5], ["unreachable"]]);
  });

  test("follows a changed sweep from the next application of the configuration on", async () => {
    const { server, apply, clock, attempts, settings } = world({ connectRetryCount: 0, sweepSeconds: 3600 });
    server.reachable = false;
    apply();
    await clock.advance(10_000);
    settings.sweepSeconds = 5;
    apply();
    await clock.advance(5000);
    expect(attempts).toEqual([0, 15]);
  });
});

test("sweep, reload, refresh and waiting calls at the same time make one connection", async () => {
  const { server, apply, clock, attempts, connections, made } = world();
  server.reachable = false;
  apply();
  await clock.advance(62_999);
  server.reachable = true;
  const meddle = () => {
    connections.hurry("mail");
    connections.refresh();
    apply();
    connections.hurry("mail");
  };
  clock.after(1, meddle);
  await clock.advance(1);
  meddle();
  await clock.advance(1000);
  expect([made.length, attempts.length]).toEqual([1, 4]);
  expect(made[0]?.closed).toBe(false);
});

describe("a connection that is lost", () => {
  test("after a good time gets the full number of attempts again", async () => {
    const { server, apply, clock, attempts, made, types } = world();
    apply();
    await clock.advance(20_000);
    server.reachable = false;
    made[0]?.events.onClosed("the process ended");
    expect(types()).toEqual(["surface", "connected", "disconnected"]);
    await clock.advance(20_000);
    expect([attempts, types().at(-1)]).toEqual([[0, 21, 23, 27], "unreachable"]);
  });

  test("at once, again and again, is left to the sweep like one that never was", async () => {
    const { apply, clock, attempts, made } = world();
    apply();
    for (let time = 0; time < 3; time++) {
      await clock.advance(5000);
      made.at(-1)?.events.onClosed("the process ended");
    }
    await clock.advance(59_000);
    expect(attempts).toEqual([0, 6, 12]);
    await clock.advance(1000);
    expect(attempts).toEqual([0, 6, 12, 75]);
  });

  test("while its lists are read counts as one failed attempt", async () => {
    const { server, apply, clock, attempts, made, types, connections } = world();
    const list = Promise.withResolvers<never>();
    server.listTools = () => list.promise;
    apply();
    await clock.advance(0);
    made[0]?.events.onClosed("the process ended");
    list.reject(new Error("lost"));
    await clock.advance(0);
    expect([connections.of("mail")?.state, types()]).toEqual(["disconnected", []]);
    server.listTools = async () => [];
    await clock.advance(1000);
    expect([attempts, types()]).toEqual([
      [0, 1],
      ["surface", "connected"],
    ]);
  });

  test("tells nothing of itself once it has been replaced", async () => {
    const { server, apply, clock, made, types, connections } = world();
    apply();
    await clock.advance(0);
    server.call = async () => REFUSED;
    await connections.of("mail")?.call({ tool: "act", arguments: {} });
    await clock.advance(1000);
    const before = types();
    made[0]?.events.onClosed("late");
    made[0]?.events.onToolsChanged();
    await clock.advance(0);
    expect([types(), connections.of("mail")?.state, made[1]?.closed]).toEqual([before, "connected", false]);
  });
});

test("a server that answers the handshake but never lists its tools is a failed attempt", async () => {
  const { server, apply, clock, made, attempts, connections, types } = world();
  server.listTools = () => new Promise(() => undefined);
  apply();
  await clock.advance(29_999);
  expect(connections.of("mail")?.state).toBe("connecting");
  await clock.advance(1);
  expect(connections.of("mail")).toMatchObject({ state: "disconnected", lastError: "no answer to tools/list within 30000 ms" });
  expect([made[0]?.closed, types()]).toEqual([true, []]);
  await clock.advance(1000);
  expect(attempts).toEqual([0, 31]);
});

test("a connection whose tools cannot be listed is closed, nothing is told, and the next attempt is a new one", async () => {
  const { server, apply, clock, made, types } = world();
  server.listTools = async () => {
    throw new Error("tools/list failed: boom");
  };
  apply();
  await clock.advance(0);
  expect([made[0]?.closed, types()]).toEqual([true, []]);
  server.listTools = async () => [];
  await clock.advance(1000);
  expect([made.map(({ closed }) => closed), types()]).toEqual([
    [true, false],
    ["surface", "connected"],
  ]);
});
