/** Hooks as an operator writes them, through a daemon. */
import { expect, test } from "bun:test";
import { call, fixtureServer, makePlace, PROGRAM, send, startDaemon, until, whenServed } from "./daemon-fixture.ts";

const SCRIPT = new URL("../fixtures/hooks/hook.ts", import.meta.url).pathname;

test("a program and an address are asked before a call, and a change of them applies at once", async () => {
  const asked: { arguments?: unknown }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const input = (await request.json()) as { event: string; arguments: { text: string } };
      asked.push(input);
      return input.event === "postToolUse"
        ? new Response()
        : Response.json({ decision: "rewrite", arguments: { text: `${input.arguments.text}, rewritten` } });
    },
  });
  const url = `http://127.0.0.1:${server.port}/`;
  const mcpServers = { one: fixtureServer() };
  const stop = { name: "stop", if: 'text == "forbidden"', type: "command", command: [process.execPath, SCRIPT, "exit2"] };
  const preToolUse = [stop, { name: "rewrite", matcher: "^one__echo$", if: 'text != "there"', type: "http", url }];
  const postToolUse = [{ name: "tell", matcher: "echo", type: "http", url }];
  const bridge = { allowPrivateAddresses: true };
  using place = makePlace({ mcpServers, bridge, hooks: { preToolUse, postToolUse } });
  await using daemon = startDaemon(place);
  const at = await daemon.url;
  await whenServed(at, "one__echo", { text: "there" });

  const blocked = await call(at, "one__echo", { text: "forbidden" });
  expect(blocked.status).toBe(403);
  expect(blocked.json["error"]).toMatchObject({ code: "refused", certainty: "not_applied", message: expect.stringContaining("not today") });
  const rewritten = await call(at, "one__echo", { text: "hello" });
  expect(JSON.stringify(rewritten.json)).toContain("hello, rewritten");
  await until("the end is told", () =>
    asked.some((input) => JSON.stringify(input).includes('"postToolUse"') && JSON.stringify(input.arguments).includes("hello, rewritten"))
      ? true
      : undefined,
  );

  place.configure({ mcpServers, hooks: { preToolUse: [preToolUse[1]] } });
  await until("private addresses are not asked any more", async () => {
    const { status } = await call(at, "one__echo", { text: "hello" });
    return status === 403 || undefined;
  });
  expect((await call(at, "one__echo", { text: "there" })).status).toBe(200);
  await server.stop(true);
}, 30_000);

test("a hook that calls the tool it is asked about ends three deep, by the command line, over stdio, MCP and REST", async () => {
  const rpc = (id: number, method: string, params: object) => ({ jsonrpc: "2.0", id, method, params });
  const opening = rpc(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "hook", version: "1" } });
  const echo = rpc(2, "tools/call", { name: "one__echo", arguments: { text: "go" } });
  const asked: unknown[] = [];
  let refusal = "";
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { depth } = (await request.json()) as { depth: number };
      const pass = request.headers.get("toolcrib-hook-depth") ?? "";
      asked.push(depth);
      if (depth === 1) {
        const child = Bun.spawn([...PROGRAM, "stdio", "--data", place.data], {
          env: { ...process.env, TOOLCRIB_HOOK_DEPTH: pass },
          stdio: ["pipe", "pipe", "ignore"],
        });
        child.stdin.write(`${JSON.stringify(opening)}\n${JSON.stringify(echo)}\n`);
        await child.stdin.end();
        expect(await new Response(child.stdout).text()).toContain("hooks go three deep");
      }
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", "toolcrib-hook-depth": pass };
      if (depth === 2) {
        const _meta = {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "hook", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        };
        const more = { ...headers, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "one__echo" };
        expect((await send(at, "/mcp", { ...echo, params: { ...echo.params, _meta } }, more)).text).toContain("hooks go three deep");
      }
      if (depth === 3) refusal = (await send(at, "/v1/tools/one__echo/call", { arguments: { text: "go" } }, headers)).text;
      return depth === 3
        ? Response.json({ decision: "block", reason: JSON.parse(refusal).error.message })
        : Response.json({ decision: "block", reason: "hooks go three deep" });
    },
  });
  const url = `http://127.0.0.1:${server.port}/`;
  const common = { matcher: "^one__echo$", timeoutMs: 10_000 };
  const configured = { mcpServers: { one: fixtureServer() }, bridge: { allowPrivateAddresses: true } };
  using place = makePlace(configured);
  const first = { ...common, name: "first", if: 'text == "go" && depth == 0', type: "command" };
  const command = [process.execPath, SCRIPT, "call", ...PROGRAM, "call", "--data", place.data, "one__echo"];
  const preToolUse = [
    { ...first, command },
    { ...common, name: "deeper", if: "depth > 0", type: "http", url },
  ];
  place.configure({ ...configured, hooks: { preToolUse } });
  await using daemon = startDaemon(place);
  const at = await daemon.url;
  await whenServed(at, "one__echo", { text: "there" });

  const answer = await call(at, "one__echo", { text: "go" });
  expect(asked).toEqual([1, 2, 3]);
  expect(refusal).toContain("hooks go three deep");
  expect([answer.status, answer.text]).toEqual([403, expect.stringContaining("hooks go three deep")]);
  await server.stop(true);
}, 30_000);
