/** MCP over a byte stream: real clients on a pipe, and lines written by hand. */
import { expect, test } from "bun:test";
import { Client, type VersionNegotiationMode } from "@modelcontextprotocol/client";
import { sessionRefusal } from "../../../src/mcp/upstream/backend.ts";
import { createFixtureBackend } from "./fixture-backend.ts";
import { clientTransport, hello, line, openPipe } from "./pipe.ts";
import { call, envelope } from "./serve.ts";

const modes: readonly (readonly [VersionNegotiationMode, "legacy" | "modern"])[] = [
  ["legacy", "legacy"],
  ["auto", "modern"],
  [{ pin: "2026-07-28" }, "modern"],
];

for (const [mode, era] of modes) {
  test(`a client in mode ${JSON.stringify(mode)} lists, calls, hears of progress and of changes, and cancels`, async () => {
    const backend = createFixtureBackend();
    await using pipe = openPipe(backend, { sessionName: "desk" });
    const changed = Promise.withResolvers<void>();
    const client = new Client(
      { name: "piped", version: "1" },
      { versionNegotiation: { mode }, listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changed.resolve() } } },
    );
    await client.connect(clientTransport(pipe));
    expect(client.getProtocolEra()).toBe(era);
    expect(client.getInstructions()).toBe("You are in session desk.");
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain("echo");
    const hand = pipe.edge.handCalls();
    expect(JSON.stringify(await client.callTool({ name: "echo", arguments: { text: "hi" } }))).toContain("desk");
    expect(pipe.edge.handCalls()).toBe(hand + 1);
    expect((await client.callTool({ name: "list", arguments: {} })).structuredContent).toEqual(
      era === "legacy" ? { result: [1, 2, 3] } : [1, 2, 3],
    );
    const seen: number[] = [];
    await client.callTool({ name: "steps", arguments: {} }, { onprogress: ({ progress }) => seen.push(progress) });
    expect(seen.length).toBeGreaterThanOrEqual(2); // The client itself may lose one that arrives together with the result.
    backend.addTool(backend.calls[0]?.session ?? "", { name: "added", inputSchema: { type: "object" } });
    await changed.promise;
    const abort = new AbortController();
    const held = client.callTool({ name: "hold", arguments: {} }, { signal: abort.signal });
    held.catch(() => undefined);
    await backend.started("hold");
    abort.abort();
    await expect(held).rejects.toThrow();
    while (backend.aborted.length === 0) await Bun.sleep(5);
    expect(backend.aborted).toEqual(["cancelled"]);
    await client.close();
    await pipe.connection.closed;
    expect(backend.opened).toHaveLength(1);
  });
}

test("lines that are no message are answered as such and disturb nobody", async () => {
  await using pipe = openPipe(createFixtureBackend(), { maxMessageBytes: 1_000 });
  pipe.write(line(hello));
  expect((await pipe.next())["id"]).toBe("init");
  pipe.write("nonsense\n\n");
  expect(await pipe.next()).toMatchObject({ id: null, error: { code: -32700 } });
  pipe.write(new Uint8Array([0x22, 0xff, 0x22, 0x0a]));
  expect(await pipe.next()).toMatchObject({ id: null, error: { code: -32700 } });
  pipe.write(`[${JSON.stringify(call(1, "echo"))}]\n`);
  expect(await pipe.next()).toMatchObject({ id: null, error: { code: -32600 } });
  pipe.write(line({ jsonrpc: "1.0", id: 4, method: "ping" }));
  expect(await pipe.next()).toMatchObject({ id: 4, error: { code: -32600 } });
  pipe.write(`"${"x".repeat(2_000)}"\n`);
  expect(await pipe.next()).toMatchObject({ id: null, error: { code: -32700, message: expect.stringContaining("1000 bytes") } });
  pipe.write(line(call(5, "echo", { value: "[".repeat(10) })).replace('"[[[[[[[[[["', "9007199254740993"));
  expect(await pipe.next()).toMatchObject({
    id: 5,
    result: { isError: true, structuredContent: { error: { code: "invalid_arguments" } } },
  });
  pipe.write(line(call(6, "echo", { text: "fine" })));
  expect(await pipe.next()).toMatchObject({ id: 6, result: { content: [{ type: "text" }] } });
});

test("a message may arrive in pieces, cut inside a character", async () => {
  await using pipe = openPipe(createFixtureBackend());
  pipe.write(line(hello));
  await pipe.next();
  const bytes = new TextEncoder().encode(line(call(1, "echo", { text: "größer\u2028" })));
  for (const byte of bytes) pipe.write(new Uint8Array([byte]));
  expect(JSON.stringify(await pipe.next())).toContain("größer");
});

for (const plain of [true, false]) {
  test(`calls with one id at the same time each get their own answer (${plain ? "by hand" : "through the SDK"})`, async () => {
    await using pipe = openPipe(createFixtureBackend({ plain }));
    pipe.write(line(hello));
    await pipe.next();
    pipe.write(["a", "b", "c"].map((text, index) => line(call(index === 2 ? "7" : 7, "echo", { text }))).join(""));
    const answers = [await pipe.next(), await pipe.next(), await pipe.next()];
    expect(answers.map((answer) => answer["id"])).toEqual([7, 7, "7"]);
    for (const [index, text] of ["a", "b", "c"].entries()) expect(JSON.stringify(answers[index])).toContain(`\\"text\\":\\"${text}\\"`);
  });
}

test("the first message names the session; an unusable name is refused", async () => {
  const backend = createFixtureBackend();
  await using pipe = openPipe(backend, { sessionName: "from-door" });
  pipe.write(line({ ...hello, params: { ...hello.params, _meta: { "toolcrib/session": "not a name" } } }));
  expect(await pipe.next()).toMatchObject({ id: "init", error: { code: -32602 } });
  pipe.write(line({ ...hello, params: { ...hello.params, _meta: { "toolcrib/session": "from-meta" } } }));
  expect(await pipe.next()).toMatchObject({ id: "init", result: { instructions: "You are in session from-meta." } });
  expect(backend.opened.map((request) => [request.name, request.era, request.client.name])).toEqual([["from-meta", "legacy", "raw"]]);
});

test("a modern message needs no opening", async () => {
  await using pipe = openPipe(createFixtureBackend());
  pipe.write(line(call(1, "echo", { text: "at once" }, envelope())));
  expect(await pipe.next()).toMatchObject({ id: 1, result: { resultType: "complete" } });
  pipe.write(line(call(2, "echo", { text: "by hand" }, envelope())));
  expect(await pipe.next()).toMatchObject({
    id: 2,
    result: { resultType: "complete", _meta: { "io.modelcontextprotocol/serverInfo": { name: "fixture" } } },
  });
  expect(pipe.edge.handCalls()).toBe(1);
});

test("an agent that may have no session is told why", async () => {
  await using pipe = openPipe({
    ...createFixtureBackend(),
    openSession: () => Promise.reject(sessionRefusal("Too many sessions; end one first")),
  });
  pipe.write(line(hello));
  expect(await pipe.next()).toEqual({ jsonrpc: "2.0", id: "init", error: { code: -32000, message: "Too many sessions; end one first" } });
});

test("a message that is nested too deep is refused", async () => {
  await using pipe = openPipe(createFixtureBackend());
  pipe.write(line(hello));
  await pipe.next();
  const deep = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
  pipe.write(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${deep}}}\n`);
  expect(await pipe.next()).toMatchObject({ id: 1, error: { code: -32600 } });
  pipe.write(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":${deep}}}\n`);
  expect(await pipe.next()).toMatchObject({ id: 2, error: { code: -32602 } });
});

test("a client that probes and falls back in one breath is known by its initialize", async () => {
  const backend = createFixtureBackend();
  await using pipe = openPipe(backend);
  const meta = envelope({ "io.modelcontextprotocol/clientInfo": { name: "prober", version: "1" } });
  const probe = { jsonrpc: "2.0", id: 0, method: "server/discover", params: { _meta: meta } };
  pipe.write(line(probe) + line(hello) + line({ jsonrpc: "2.0", method: "notifications/initialized" }) + line(call(1, "echo")));
  const answers = [await pipe.next(), await pipe.next(), await pipe.next()];
  expect(answers.map((answer) => answer["id"])).toEqual([0, "init", 1]);
  expect(backend.opened.map((request) => [request.era, request.client.name])).toEqual([
    ["modern", "prober"],
    ["legacy", "raw"],
  ]);
});
