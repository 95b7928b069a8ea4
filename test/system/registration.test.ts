/** Servers that agents add at run time, over the real daemon: connected, kept over a crash, removed by their owner only. */
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { serveModern } from "../fixtures/servers/http-servers.ts";
import { makePlace, send, startDaemon, until } from "./daemon-fixture.ts";

const token = (agent: string) => `token-of-${agent}-0123456789abcdef`;
const agent = (name: string) => ({ name, tokenHash: `sha256:${createHash("sha256").update(token(name)).digest("hex")}` });
const as = (name: string) => ({ authorization: `Bearer ${token(name)}` });
type Told = { content: { text: string }[]; isError: boolean };
const ask = async (url: string, who: string, tool: string, args: object) =>
  (await send(url, `/v1/tools/${tool}/call`, { arguments: args }, as(who))).json as unknown as Told;
const words = ({ content }: Told) => content.map(({ text }) => text).join("\n");

test("a server that an agent registers works at once, outlives kill -9 and goes when its owner says so", async () => {
  const server = serveModern();
  using place = makePlace({ agents: [agent("ada"), agent("bob")], bridge: { allowPrivateAddresses: true } });
  try {
    {
      await using daemon = startDaemon(place);
      const url = await daemon.url;
      const registered = await ask(url, "ada", "mcp_register_server", { name: "weather", type: "http", url: server.url });
      expect(words(registered)).toBe("Server 'weather' registered successfully. 2 tool(s) available.");
      expect(words(await ask(url, "ada", "weather__mirrored", {}))).toBe("mirrored");
      const again = await ask(url, "bob", "mcp_register_server", { name: "rain", type: "http", url: `${server.url}/` });
      expect([again.isError, words(again)]).toEqual([true, expect.stringContaining('registered already, as "weather"')]);
      await daemon.kill();
    }
    await using daemon = startDaemon(place);
    const url = await daemon.url;
    const names = async () =>
      ((await send(url, "/v1/tools", undefined, as("bob"))).json["tools"] as { name: string }[]).map(({ name }) => name);
    expect(await names()).toContain("weather__mirrored");
    await until("it is connected again", async () => !(await ask(url, "ada", "weather__mirrored", {})).isError || undefined);
    const foreign = await ask(url, "bob", "mcp_unregister_server", { server_name: "weather" });
    expect([foreign.isError, words(foreign)]).toEqual([true, expect.stringContaining("registered by another agent")]);
    expect(words(await ask(url, "ada", "mcp_unregister_server", { server_name: "Weather" }))).toBe("Server 'Weather' unregistered.");
    expect(await names()).not.toContain("weather__mirrored");
  } finally {
    await server.stop();
  }
}, 60_000);

test("nothing inside is reached on an agent's word, and nobody learns what is there", async () => {
  const server = serveModern();
  using place = makePlace({ agents: [agent("ada")] });
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  try {
    const tried = [server.url, "http://localhost:9/mcp", "http://169.254.169.254/", "http://127.1:1/"];
    for (const [index, address] of tried.entries()) {
      const told = await ask(url, "ada", "mcp_register_server", { name: `s${index}`, url: address });
      expect([told.isError, words(told)]).toEqual([
        true,
        `Failed to register server 's${index}': it cannot be reached from here, or may not be.`,
      ]);
    }
    const command = await ask(url, "ada", "mcp_register_server", { name: "shell", type: "stdio", url: "x", command: "sh" });
    expect(JSON.stringify(command)).toContain("invalid_arguments");
    expect(server.seen).toHaveLength(0);
  } finally {
    await server.stop();
  }
}, 60_000);
