/** Who uses a connection keeps it: it is closed when its last call has ended, not when another one takes its place. */
import { describe, expect, test } from "bun:test";
import type { CallOutcome } from "../../src/mcp/downstream/downstream.ts";
import { DONE, REFUSED, world } from "./fixture.ts";

/** Calls that end when the test says so. */
function held(calls: ((outcome: CallOutcome) => void)[]) {
  return () => new Promise<CallOutcome>((answer) => calls.push(answer));
}
const call = { tool: "act", arguments: {} };

describe("a connection that is made anew under running calls", () => {
  test("keeps the old one until the last of them has its answer", async () => {
    const { server, apply, clock, made, connections } = world();
    const calls: ((outcome: CallOutcome) => void)[] = [];
    server.call = held(calls);
    apply();
    await clock.advance(0);
    const running = connections.of("mail")?.call(call);
    const refused = connections.of("mail")?.call(call);
    calls[1]?.(REFUSED);
    expect(await refused).toEqual(REFUSED);
    await clock.advance(1000);
    expect(made.map(({ closed }) => closed)).toEqual([false, false]);
    calls[0]?.(DONE);
    expect(await running).toEqual(DONE);
    await clock.advance(0);
    expect(made.map(({ closed }) => closed)).toEqual([true, false]);
  });

  test("by a changed entry: they end on the old connection, new calls go out on the new one", async () => {
    const { server, apply, clock, made, connections, told } = world();
    const calls: ((outcome: CallOutcome) => void)[] = [];
    server.call = held(calls);
    apply("one");
    await clock.advance(0);
    const running = connections.of("mail")?.call(call);
    apply("two");
    await clock.advance(0);
    const next = connections.of("mail")?.call(call);
    expect(made.map(({ closed }) => closed)).toEqual([false, false]);
    made[0]?.events.onToolsChanged(); // of no interest any more
    made[0]?.events.onClosed("the old process ended");
    await clock.advance(0);
    expect(told.filter(({ type }) => type === "surface")).toHaveLength(2);
    expect(connections.of("mail")?.state).toBe("connected");
    calls[1]?.(DONE);
    calls[0]?.(DONE);
    expect([await running, await next]).toEqual([DONE, DONE]);
    await clock.advance(0);
    expect(made.map(({ closed }) => closed)).toEqual([true, false]);
  });

  test("by a changed policy only: the connection stays", async () => {
    const { apply, clock, made, attempts } = world();
    apply();
    await clock.advance(0);
    apply();
    await clock.advance(0);
    expect([attempts.length, made[0]?.closed]).toEqual([1, false]);
  });

  test("by its removal: they have a quarter of an hour", async () => {
    const { server, apply, clock, made, connections, types } = world();
    server.call = () => new Promise(() => undefined);
    apply();
    await clock.advance(0);
    void connections.of("mail")?.call(call);
    connections.apply([]);
    expect(connections.of("mail")).toBeUndefined();
    await clock.advance(899_999);
    expect(made[0]?.closed).toBe(false);
    await clock.advance(1);
    expect([made[0]?.closed, made.length, types().slice(2)]).toEqual([true, 1, ["disconnected", "unreachable"]]);
    expect(made[0]?.lists).toBe(1);
  });
});

test("the end of the program does not wait for calls, and waits for what they used", async () => {
  const { server, apply, clock, made, connections } = world();
  server.call = () => new Promise(() => undefined);
  apply();
  await clock.advance(0);
  void connections.of("mail")?.call(call);
  const closing = connections.close();
  await clock.advance(0);
  await closing;
  expect(made[0]?.closed).toBe(true);
});

test.each<[string, CallOutcome, AbortSignal | undefined]>([
  ["was cancelled before it left", { kind: "not_sent", reason: "cancelled before it was sent" }, AbortSignal.abort("cancelled")],
  ["was refused with an HTTP status", { kind: "not_sent", reason: "HTTP 400", status: 400 }, undefined],
  ["was lost", { kind: "lost", reason: "reset" }, undefined],
])("a call that %s says nothing of the connection", async (_, outcome, signal) => {
  const { server, apply, clock, made, connections } = world();
  server.call = async () => outcome;
  apply();
  await clock.advance(0);
  expect(await connections.of("mail")?.call({ ...call, ...(signal && { signal }) })).toEqual(outcome);
  expect([connections.of("mail")?.state, made.length]).toEqual(["connected", 1]);
});

test("any other request counts like a call; without a connection it is not sent", async () => {
  const { server, apply, clock, made, connections } = world();
  const read = { method: "resources/read", params: { uri: "a://b" } };
  expect(await connections.request("mail", read)).toEqual({ kind: "not_sent", reason: "not configured" });
  server.reachable = false;
  apply();
  await clock.advance(0);
  expect(await connections.request("mail", read)).toEqual({ kind: "not_sent", reason: "not connected" });
  server.reachable = true;
  await clock.advance(1000);
  expect(await connections.request("mail", read)).toEqual(DONE);
  server.request = async () => REFUSED;
  expect(await connections.request("mail", read)).toEqual(REFUSED);
  await clock.advance(0);
  expect([made[0]?.closed, connections.of("mail")?.state]).toEqual([true, "disconnected"]);
});
