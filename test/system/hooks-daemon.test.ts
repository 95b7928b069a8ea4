/** Hooks as an operator writes them, through a daemon. */
import { expect, test } from "bun:test";
import { call, fixtureServer, makePlace, startDaemon, until, whenServed } from "./daemon-fixture.ts";

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
