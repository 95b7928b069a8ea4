/** A connected server is looked after: old lists are read again, an HTTP server that is gone is noticed. */
import { describe, expect, test } from "bun:test";
import { REFUSED, world } from "./fixture.ts";

describe("lists", () => {
  test("are read again when they are five minutes old", async () => {
    const { apply, clock, made } = world();
    apply();
    await clock.advance(299_999);
    expect(made[0]?.lists).toBe(1);
    await clock.advance(1);
    expect(made[0]?.lists).toBe(2);
    await clock.advance(300_000);
    expect(made[0]?.lists).toBe(3);
  });

  test("that were read for another reason are not old", async () => {
    const { apply, clock, made } = world();
    apply();
    await clock.advance(200_000);
    made[0]?.events.onToolsChanged();
    await clock.advance(260_000);
    expect(made[0]?.lists).toBe(2);
    await clock.advance(60_000);
    expect(made[0]?.lists).toBe(3);
  });

  test.each([
    [0, 60, 1],
    [0, 0, 1],
    [10, 0, 6],
    [10, 60, 6],
  ])("with a refresh of %d s and a sweep of %d s are read %d times a minute", async (surfaceRefreshSeconds, sweepSeconds, times) => {
    const { apply, clock, made } = world({ surfaceRefreshSeconds, sweepSeconds });
    apply();
    await clock.advance(59_000);
    expect(made[0]?.lists).toBe(times);
  });

  test("follow a changed refresh from the next application of the configuration on", async () => {
    const { apply, clock, made, settings } = world({ surfaceRefreshSeconds: 0, sweepSeconds: 0 });
    apply();
    await clock.advance(60_000);
    settings.surfaceRefreshSeconds = 5;
    apply();
    await clock.advance(5000);
    expect(made[0]?.lists).toBe(2);
  });
});

describe("an HTTP server", () => {
  test.each([
    ["legacy", "ping"],
    ["modern", "server/discover"],
  ] as const)("of the %s era is asked at every sweep whether it is there", async (era, method) => {
    const { server, apply, clock, made } = world();
    Object.assign(server, { introduction: { era }, pid: undefined });
    server.request = async () => ({ kind: "rpc_error", code: -32601, message: "Method not found" }); // an answer, too
    apply();
    await clock.advance(180_000);
    expect([made[0]?.requests, made.length]).toEqual([[method, method, method], 1]);
  });

  test("that does not take the question is connected anew", async () => {
    const { server, apply, clock, made, types, attempts } = world();
    Object.assign(server, { pid: undefined, request: async () => REFUSED });
    apply();
    await clock.advance(0);
    server.reachable = false;
    await clock.advance(60_000);
    expect([made[0]?.closed, types().at(-1)]).toEqual([true, "disconnected"]);
    server.reachable = true;
    await clock.advance(1000);
    expect([attempts, types().at(-1)]).toEqual([[0, 61], "connected"]);
  });

  test.each([
    ["an HTTP error", { kind: "not_sent", reason: "HTTP 401", status: 401 }],
    ["a lost answer", { kind: "lost", reason: "reset" }],
  ] as const)("that answers with %s is there", async (_, outcome) => {
    const { server, apply, clock, made } = world();
    Object.assign(server, { pid: undefined, request: async () => outcome });
    apply();
    await clock.advance(120_000);
    expect([made.length, made[0]?.requests.length]).toEqual([1, 2]);
  });

  test("that never answers is not asked again, and its calls are left alone", async () => {
    const { server, apply, clock, made } = world({ surfaceRefreshSeconds: 0 });
    Object.assign(server, { pid: undefined, request: () => new Promise(() => undefined) });
    apply();
    await clock.advance(600_000);
    expect([made.length, made[0]?.requests]).toEqual([1, ["ping"]]);
  });

  test("is asked when its lists cannot be read", async () => {
    const { server, apply, clock, made, types } = world({ sweepSeconds: 0 });
    Object.assign(server, { pid: undefined, request: async () => REFUSED });
    apply();
    await clock.advance(0);
    server.listTools = () => Promise.reject(new Error("connection refused"));
    await clock.advance(300_000);
    expect([made[0]?.requests, types().at(-1)]).toEqual([["ping"], "disconnected"]);
  });
});

test("a child process is not asked: its end is heard of", async () => {
  const { apply, clock, made } = world();
  apply();
  await clock.advance(240_000);
  expect(made[0]?.requests).toEqual([]);
});

test("nothing is asked of a server that was taken out", async () => {
  const { server, apply, clock, made, connections } = world();
  server.pid = undefined;
  apply();
  await clock.advance(0);
  connections.apply([]);
  await clock.advance(600_000);
  expect([made[0]?.requests, made[0]?.lists]).toEqual([[], 1]);
});
