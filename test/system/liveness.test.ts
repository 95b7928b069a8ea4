/** Servers over HTTP that say nothing by themselves: what they offer, that they are gone and that they are back is found out. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type HttpServer, serve } from "../fixtures/servers/http-servers.ts";
import { asOperator, call, type Daemon, makePlace, type Place, send, startDaemon, until } from "./daemon-fixture.ts";

let place: Place;
let daemon: Daemon;
let url: string;
let servers: HttpServer[] = [];
let tools = ["first"];

/** A legacy server without sessions and without an event stream. */
function serveStateless(port = 0): HttpServer {
  const server = serve(
    (request, body) => {
      if (request.method !== "POST" || !body) return new Response(null, { status: 405 });
      const { id, method } = body;
      if (id === undefined) return new Response(null, { status: 202 });
      const answer = (part: Record<string, unknown>) => Response.json({ jsonrpc: "2.0", id, ...part });
      if (method === "initialize") {
        const serverInfo = { name: "stateless", version: "1" };
        return answer({ result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } });
      }
      if (method === "tools/list") return answer({ result: { tools: tools.map((name) => ({ name, inputSchema: { type: "object" } })) } });
      if (method === "tools/call") return answer({ result: { content: [{ type: "text", text: "done" }] } });
      return method === "ping" ? answer({ result: {} }) : answer({ error: { code: -32601, message: "Method not found" } });
    },
    () => 0,
    port,
  );
  servers.push(server);
  return server;
}
const stopped = () => Promise.all(servers.splice(0).map((server) => server.stop()));
const portOf = (server: HttpServer) => Number(new URL(server.url).port);
const typed = async () => {
  const { json } = await send(url, "/v1/tools");
  return (json["tools"] as { name: string }[]).map(({ name }) => name).filter((name) => name.startsWith("web__"));
};
const state = async () => (await send(url, "/debug/api/servers/web", undefined, asOperator(place))).json["state"];
const positionOf = async () => (await send(url, "/debug/api/status", undefined, asOperator(place))).json["position"];

beforeAll(async () => {
  // Nobody listens there at first.
  const free = serveStateless();
  const port = portOf(free);
  await stopped();
  place = makePlace({
    bridge: { connectRetryCount: 0, sweepSeconds: 1, surfaceRefreshSeconds: 1 },
    mcpServers: { web: { url: `http://127.0.0.1:${port}/mcp` } },
  });
  daemon = startDaemon(place);
  url = await daemon.url;
  await until("the first attempt failed", async () => (await state()) === "disconnected");
  serveStateless(port);
});
afterAll(async () => {
  await daemon.stop();
  await stopped();
  servers = [];
  place[Symbol.dispose]();
});

test("one that was away at the start is found by the sweep", async () => {
  await until("it is connected", async () => (await state()) === "connected");
  expect(await typed()).toEqual(["web__first"]);
}, 20_000);

test("a list that nobody announced is read again; one that is the same writes nothing down", async () => {
  tools = ["first", "second"];
  await until("the new tool is listed", async () => (await typed()).length === 2);
  const lists = () => servers[0]?.seen.filter(({ rpc }) => rpc === "tools/list").length ?? 0;
  const [before, position] = [lists(), await positionOf()];
  expect(position).toBeGreaterThan(0);
  await until("it is read twice more", () => lists() >= before + 2);
  expect(await positionOf()).toBe(position);
}, 20_000);

test("one that ends is noticed without a call, and found again, with its tools known all the while", async () => {
  const port = portOf(servers[0] ?? expect.unreachable());
  await stopped();
  await until("it is missed", async () => (await state()) === "disconnected");
  expect(await typed()).toEqual(["web__first", "web__second"]);
  tools = ["second"];
  serveStateless(port);
  await until("it is back", async () => (await state()) === "connected");
  expect(await typed()).toEqual(["web__second"]);
  expect((await call(url, "web__second")).status).toBe(200);
}, 20_000);
