/** Sessions over HTTP: opened, named, found again, ended, refused. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sessionRefusal } from "../../../src/mcp/upstream/backend.ts";
import { createEdge } from "../../../src/mcp/upstream/edge.ts";
import { createFixtureBackend, type FixtureBackend } from "./fixture-backend.ts";
import {
  call,
  envelope,
  errorOf,
  initialize,
  type JsonObject,
  messagesOf,
  modernHeaders,
  onlyMessage,
  plainHeaders,
  type Served,
  serve,
} from "./serve.ts";

let backend: FixtureBackend;
let served: Served;
beforeAll(() => {
  backend = createFixtureBackend();
  served = serve(backend);
});
afterAll(() => served.close());

test("a session is found by its id and its agent only", async () => {
  const session = await initialize(served, { "x-agent": "alice" });
  expect((await served.post(call(1, "echo"), session)).status).toBe(200);
  expect(await errorOf(await served.post(call(1, "echo"), { ...session, "x-agent": "mallory" }))).toEqual({ status: 404, code: -32001 });
  expect(await errorOf(await served.post(call(1, "echo"), { "mcp-session-id": "unknown" }))).toEqual({ status: 404, code: -32001 });
  expect(await errorOf(await served.post(call(1, "echo")))).toEqual({ status: 400, code: -32000 });
  expect(await errorOf(await served.post({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} }))).toEqual({
    status: 400,
    code: -32602,
  });
});

test("DELETE ends a session for good", async () => {
  const session = await initialize(served);
  expect((await fetch(served.url, { method: "DELETE", headers: session })).status).toBe(200);
  expect(backend.closed).toContain(session["mcp-session-id"]);
  expect((await served.post(call(1, "echo"), session)).status).toBe(404);
  expect((await fetch(served.url, { method: "DELETE", headers: session })).status).toBe(404);
});

test("sessions are named by _meta, else by the header, else by the rules of the backend", async () => {
  const own = createFixtureBackend();
  const edge = serve(own);
  await edge.post(call(1, "echo", {}, envelope({ "toolcrib/session": "from-meta" })), {
    ...modernHeaders("echo"),
    "toolcrib-session": "from-header",
  });
  await edge.post(call(1, "echo", {}, envelope()), { ...modernHeaders("echo"), "toolcrib-session": "from-header" });
  await edge.post(call(1, "echo", {}, envelope()), modernHeaders("echo"));
  await edge.post(call(2, "echo", {}, envelope()), modernHeaders("echo"));
  await initialize(edge, { "toolcrib-session": "legacy-header" }, { _meta: { "toolcrib/session": "legacy-meta" } });
  await initialize(edge, { "toolcrib-session": "legacy-header" });
  await initialize(edge);
  expect(own.opened.map((request) => [request.era, request.name])).toEqual([
    ["modern", "from-meta"],
    ["modern", "from-header"],
    ["modern", undefined],
    ["legacy", "legacy-meta"],
    ["legacy", "legacy-header"],
    ["legacy", undefined],
  ]);
  const bad = await edge.post(call(1, "echo", {}, envelope({ "toolcrib/session": "not a name" })), modernHeaders("echo"));
  expect(await errorOf(bad)).toEqual({ status: 400, code: -32602 });
  await edge.close();
});

test("a request that fails the checks of its era opens no session", async () => {
  const own = createFixtureBackend();
  const edge = serve(own);
  await edge.post(call(1, "echo", {}, { "io.modelcontextprotocol/protocolVersion": "2026-07-28" }), modernHeaders("echo"));
  await edge.post({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: envelope() } });
  await edge.post({ jsonrpc: "2.0", id: 1, method: "initialize" });
  expect(own.opened).toEqual([]);
  await edge.close();
});

test("an idle session leaves memory and is resumed with its next request", async () => {
  const own = createFixtureBackend();
  const edge = serve(own);
  const session = await initialize(edge);
  await edge.post(call(1, "echo"), session);
  edge.edge.evictIdle(Date.now() + 1_000);
  expect((await onlyMessage(await edge.post(call(2, "echo"), session)))["id"]).toBe(2);
  expect(new Set(own.calls.map((entry) => entry.session)).size).toBe(1);
  expect(own.opened).toHaveLength(1);
  await edge.close();
});

test("a token whose profile has changed keeps its session, under the new profile", async () => {
  const own = createFixtureBackend();
  const edge = createEdge(own);
  const ask = (profile: string, body: JsonObject, headers: Readonly<Record<string, string>> = {}) => {
    const init = { method: "POST", headers: { ...plainHeaders, ...headers }, body: JSON.stringify(body) };
    return edge.fetch(new Request("http://localhost/mcp", init), { agent: "tester", profile });
  };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  const opened = await ask("full", { jsonrpc: "2.0", id: 0, method: "initialize", params });
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  expect((await ask("full", call(1, "echo"), session)).status).toBe(200);
  expect(own.resumed).toEqual([]);
  expect((await ask("narrow", call(1, "echo"), session)).status).toBe(200);
  expect((await ask("narrow", call(2, "echo"), session)).status).toBe(200);
  expect(own.resumed.map((principal) => principal.profile)).toEqual(["narrow"]);
  await edge.close();
});

test("an agent that may have no session is told why", async () => {
  const own = createFixtureBackend();
  const edge = serve({ ...own, openSession: () => Promise.reject(sessionRefusal("Too many sessions; end one first")) });
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  const answers = [
    await edge.post({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    await edge.post(call(1, "echo", {}, envelope()), modernHeaders("echo")),
    await edge.post(
      { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: envelope() } },
      { ...modernHeaders(""), "mcp-method": "tools/list" },
    ),
  ];
  for (const answer of answers) {
    expect(answer.status).toBe(429);
    expect(await answer.json()).toEqual({ jsonrpc: "2.0", id: 1, error: { code: -32000, message: "Too many sessions; end one first" } });
  }
  await edge.close();
});

test("closing the edge aborts what runs and serves nothing more", async () => {
  const busy = createFixtureBackend();
  const edge = createEdge(busy);
  const principal = { agent: "tester", profile: "default" };
  const request = () => {
    const body = JSON.stringify(call(1, "hold", {}, envelope()));
    return new Request("http://localhost/mcp", { method: "POST", headers: { ...plainHeaders, ...modernHeaders("hold") }, body });
  };
  const running = edge.fetch(request(), principal);
  await busy.started("hold");
  await edge.close();
  expect(await messagesOf(await running)).toEqual([]);
  expect(busy.aborted).toEqual(["disconnected"]);
  expect((await edge.fetch(request(), principal)).status).toBe(503);
});
