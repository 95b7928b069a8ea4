/** Servers over HTTP: modern and legacy Streamable HTTP, and legacy SSE. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type HttpServer, serveLegacy, serveModern, serveSse } from "../../fixtures/servers/http-servers.ts";
import { closeAll, http, manualClock, open, textOf, until } from "./support.ts";

let servers: HttpServer[] = [];
afterEach(async () => {
  await closeAll();
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});
beforeEach(() => {
  servers = [];
});

function running<T extends HttpServer>(server: T): T {
  servers.push(server);
  return server;
}

const call = (tool: string, args: Record<string, unknown> = {}) => ({ tool, arguments: args });
const posts = (server: HttpServer): (string | undefined)[] => server.seen.filter(({ method }) => method === "POST").map(({ rpc }) => rpc);

describe("a modern server", () => {
  test("is asked for its era once and called without a session", async () => {
    const server = running(serveModern());
    const { downstream } = await open(http(server.url));
    expect(downstream.introduction).toMatchObject({ era: "modern", transport: "streamable-http", serverInfo: { name: "modern-http" } });
    expect((await downstream.listTools()).map(({ name }) => name)).toEqual(["mirrored", "wait"]);
    expect(textOf(await downstream.call(call("wait")))).toBe("waited");
    expect(posts(server).filter((rpc) => rpc !== "subscriptions/listen")).toEqual(["server/discover", "tools/list", "tools/call"]);
    expect(server.seen.at(-1)?.headers).toMatchObject({
      "mcp-method": "tools/call",
      "mcp-name": "wait",
      "mcp-protocol-version": "2026-07-28",
    });
  });

  test("is found in spite of a stale legacy hint", async () => {
    const { downstream } = await open(http(running(serveModern()).url), { eraHint: { era: "legacy" } });
    expect(downstream.introduction.era).toBe("modern");
  });

  test("gets the arguments it wants mirrored in headers, even without a list before", async () => {
    const server = running(serveModern());
    const { downstream } = await open(http(server.url));
    expect(textOf(await downstream.call(call("mirrored", { region: "zürich" })))).toBe("mirrored");
    const headers = server.seen.filter(({ rpc }) => rpc === "tools/call").map(({ headers }) => headers["mcp-param-region"]);
    expect(headers).toEqual([undefined, `=?base64?${Buffer.from("zürich").toString("base64")}?=`]);
    expect(server.ran()).toBe(1);
    await downstream.call(call("mirrored", { region: "eu" }));
    expect(server.seen.at(-1)?.headers["mcp-param-region"]).toBe("eu");
  });

  test("reports progress while it works", async () => {
    const hold = Promise.withResolvers<void>();
    const { downstream } = await open(http(running(serveModern(hold.promise)).url));
    const seen: number[] = [];
    const answer = downstream.call({ ...call("wait"), onProgress: ({ progress }) => seen.push(progress) });
    await until(() => seen.length === 1);
    hold.resolve();
    expect(textOf(await answer)).toBe("waited");
  });

  test("hears of a cancellation by the end of the stream; the call is lost", async () => {
    const server = running(serveModern(new Promise(() => undefined)));
    const { downstream } = await open(http(server.url));
    const abort = new AbortController();
    let started = false;
    const answer = downstream.call({ ...call("wait"), signal: abort.signal, onProgress: () => (started = true) });
    await until(() => started);
    abort.abort("cancelled");
    expect(await answer).toEqual({ kind: "lost", reason: "cancelled" });
    await until(() => server.aborted() === 1);
    expect(posts(server)).not.toContain("notifications/cancelled");
  });

  test("tells of changed tools through a subscription", async () => {
    const clock = manualClock();
    const server = running(serveModern());
    const { changes } = await open(http(server.url), { schedule: clock.schedule });
    await until(() => {
      server.changed();
      return clock.waiting().includes(500);
    });
    clock.fire();
    expect(changes()).toBe(1);
  });

  test("that was restarted is subscribed to again, and what was missed counts as a change", async () => {
    const clock = manualClock();
    const server = running(serveModern());
    const { changes } = await open(http(server.url), { schedule: clock.schedule });
    await until(() => posts(server).includes("subscriptions/listen"));
    await server.stop();
    await until(() => clock.waiting().length === 1);
    expect(clock.waiting()).toEqual([1000]);
    clock.fire();
    await until(() => clock.waiting().length === 1);
    expect(clock.waiting()).toEqual([2000]);
    running(serveModern(undefined, Number(new URL(server.url).port)));
    clock.fire();
    await until(() => clock.waiting().includes(500));
    clock.fire();
    expect(changes()).toBe(1);
  });

  test("that goes away in mid call loses the call, at once", async () => {
    const server = running(serveModern(new Promise(() => undefined)));
    const { downstream } = await open(http(server.url));
    let started = false;
    const answer = downstream.call({ ...call("wait"), onProgress: () => (started = true) });
    await until(() => started);
    await server.stop();
    expect(await answer).toMatchObject({ kind: "lost" });
    expect(await downstream.call(call("wait"))).toEqual({ kind: "not_sent", reason: "connection refused" });
  });
});

describe("a legacy server", () => {
  test("is used with a session, which is ended on close", async () => {
    const server = running(serveLegacy());
    const { downstream, closed } = await open({ ...http(server.url), headers: { authorization: "Bearer t" } } as ReturnType<typeof http>);
    expect(downstream.introduction).toMatchObject({ era: "legacy", protocolVersion: "2025-11-25", serverInfo: { name: "legacy-http" } });
    const seen: number[] = [];
    const outcome = await downstream.call({ ...call("echo", { a: 1 }), onProgress: ({ progress }) => seen.push(progress) });
    expect([textOf(outcome), seen]).toEqual(['{"a":1}', [1]]);
    await downstream.close();
    expect(server.seen.at(-1)).toMatchObject({ method: "DELETE", headers: { authorization: "Bearer t" } });
    expect(closed).toEqual([]);
  });

  test("with a hint is not asked for its era", async () => {
    const server = running(serveLegacy());
    await open(http(server.url), { eraHint: { era: "legacy" } });
    expect(posts(server)[0]).toBe("initialize");
  });

  test("tells of changed tools on its event stream", async () => {
    const clock = manualClock();
    const server = running(serveLegacy());
    const { changes } = await open(http(server.url), { schedule: clock.schedule });
    await until(() => server.seen.some(({ method }) => method === "GET"));
    await server.changed();
    await until(() => clock.waiting().includes(500));
    clock.fire();
    expect(changes()).toBe(1);
  });

  test.each([404, 405])("without an event stream (HTTP %i) is used without", async (status) => {
    const server = running(serveLegacy({ getStatus: status }));
    const { downstream, closed } = await open(http(server.url));
    await until(() => server.seen.some(({ method }) => method === "GET"));
    if (status === 404) await until(() => posts(server).includes("ping"));
    expect(textOf(await downstream.call(call("echo")))).toBe("{}");
    expect(closed).toEqual([]);
  });

  test.each([404, 400])("that has forgotten the session (HTTP %i): the call was not sent, the connection is over", async (status) => {
    const server = running(serveLegacy({ unknownStatus: status }));
    const { downstream, closed } = await open(http(server.url));
    server.forget();
    expect(await downstream.call(call("echo"))).toMatchObject({ kind: "not_sent", status });
    await until(() => closed.length > 0);
    expect(closed).toEqual(["the server no longer knows our session"]);
    expect(server.ran()).toBe(0);
  });
});

describe("an SSE-only server", () => {
  test.each(["auto", "sse"] as const)("is found in mode %s", async (mode) => {
    const { downstream } = await open(http(running(serveSse()).url, mode));
    expect(downstream.introduction).toMatchObject({ era: "legacy", transport: "sse", protocolVersion: "2024-11-05" });
    expect((await downstream.listTools()).map(({ name }) => name)).toEqual(["echo"]);
    expect(textOf(await downstream.call(call("echo", { a: 1 })))).toBe('{"a":1}');
  });

  test("is refused in mode streamable-http, with advice", async () => {
    const server = running(serveSse());
    await expect(open(http(server.url, "streamable-http"))).rejects.toThrow(`Cannot connect to ${server.url}: HTTP 404. Check the path`);
  });

  test("whose stream breaks loses the open calls and the connection", async () => {
    const server = running(serveSse());
    const { downstream, closed } = await open(http(server.url));
    const waiting = downstream.call(call("no answer to this"));
    await until(() => posts(server).includes("tools/call"));
    server.cut();
    expect(await waiting).toEqual({ kind: "lost", reason: "the event stream broke" });
    await until(() => closed.length > 0);
    expect(closed).toEqual(["the event stream broke"]);
  });
});
