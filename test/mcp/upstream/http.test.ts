import { afterAll, beforeAll, expect, test } from "bun:test";
import { createFixtureBackend, type FixtureBackend } from "./fixture-backend.ts";
import { call, envelope, events, initialize, type JsonObject, messagesOf, modernHeaders, serve, type Served } from "./serve.ts";

let backend: FixtureBackend;
let served: Served;
beforeAll(() => {
  backend = createFixtureBackend();
  served = serve(backend);
});
afterAll(() => served.close());

async function onlyMessage(response: Response): Promise<JsonObject> {
  const [message, ...more] = await messagesOf(response);
  expect(more).toEqual([]);
  return message ?? {};
}

function textOf(message: JsonObject): string {
  return JSON.stringify(message["result"]);
}

async function errorOf(response: Response): Promise<{ status: number; code: unknown }> {
  const { error } = (await response.json()) as { error?: { code?: unknown } };
  return { status: response.status, code: error?.code };
}

test("ids come back as they were sent, in both eras", async () => {
  const session = await initialize(served);
  for (const id of [1, "1", "", 0, -7, 2 ** 53 - 1]) {
    expect((await onlyMessage(await served.post(call(id, "echo"), session)))["id"]).toBe(id);
    const modern = await served.post(call(id, "echo", {}, envelope()), modernHeaders("echo"));
    expect((await onlyMessage(modern))["id"]).toBe(id);
  }
});

for (const plain of [true, false]) {
  test(`two calls with one id at the same time each get their own answer (${plain ? "by hand" : "through the SDK"})`, async () => {
    const own = serve(createFixtureBackend({ plain }));
    const session = await initialize(own);
    const answers = await Promise.all(["a", "b", "c"].map((text) => own.post(call(7, "echo", { text }), session).then(onlyMessage)));
    expect(answers.map((answer) => answer["id"])).toEqual([7, 7, 7]);
    for (const [index, text] of ["a", "b", "c"].entries()) expect(textOf(answers[index] ?? {})).toContain(`\\"text\\":\\"${text}\\"`);
    await own.close();
  });
}

test("fifty sessions that use the same ids never see each other's results", async () => {
  const sessions = await Promise.all(Array.from({ length: 50 }, () => initialize(served)));
  const texts = await Promise.all(
    sessions.map(async (session, index) => {
      const meta = index % 2 === 0 ? undefined : { progressToken: 1 }; // Half of them go through the SDK.
      return textOf(await onlyMessage(await served.post(call(1, "echo", { text: `for ${index}` }, meta), session)));
    }),
  );
  for (const [index, text] of texts.entries()) {
    expect(text).toContain(`for ${index}\\"`);
    expect(text).toContain(sessions[index]?.["mcp-session-id"] ?? "no session");
  }
});

test("a session is found by its id and its agent only", async () => {
  const session = await initialize(served, { "x-agent": "alice" });
  expect((await served.post(call(1, "echo"), session)).status).toBe(200);
  expect(await errorOf(await served.post(call(1, "echo"), { ...session, "x-agent": "mallory" }))).toEqual({ status: 404, code: -32001 });
  expect(await errorOf(await served.post(call(1, "echo"), { "mcp-session-id": "unknown" }))).toEqual({ status: 404, code: -32001 });
  expect(await errorOf(await served.post(call(1, "echo")))).toEqual({ status: 400, code: -32000 });
  expect(await errorOf(await served.post({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} }))).toEqual({ status: 400, code: -32602 });
});

test("DELETE ends a session for good", async () => {
  const session = await initialize(served);
  expect((await fetch(served.url, { method: "DELETE", headers: session })).status).toBe(200);
  expect(backend.closed).toContain(session["mcp-session-id"]);
  expect((await served.post(call(1, "echo"), session)).status).toBe(404);
  expect((await fetch(served.url, { method: "DELETE", headers: session })).status).toBe(404);
});

test("the newest notification stream replaces the older one", async () => {
  const session = await initialize(served);
  const open = () => fetch(served.url, { headers: { ...session, accept: "text/event-stream" } });
  const older = await open();
  const newer = await open();
  expect([older.status, newer.status]).toEqual([200, 200]);
  expect(await messagesOf(older)).toEqual([]); // It ended.
  const id = backend.calls.length;
  await served.post(call(1, "echo"), session);
  backend.addTool(backend.calls[id]?.session ?? "", { name: "fresh", inputSchema: { type: "object" } });
  expect((await events(newer).next()).value).toEqual({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
});

test("a change that happens while nobody listens is told to the next stream", async () => {
  const session = await initialize(served);
  const at = backend.calls.length;
  await served.post(call(1, "echo"), session);
  backend.addTool(backend.calls[at]?.session ?? "", { name: "fresh", inputSchema: { type: "object" } });
  const stream = await fetch(served.url, { headers: { ...session, accept: "text/event-stream" } });
  expect((await events(stream).next()).value).toEqual({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
});

for (const plain of [true, false]) {
  const way = plain ? "by hand" : "through the SDK";
  for (const era of ["legacy", "modern"] as const) {
    test(`an answer that takes long becomes a stream with comments (${era}, ${way})`, async () => {
      const slow = createFixtureBackend({ plain });
      const own = serve(slow, { streamAfterMs: 20, keepAliveMs: 10 });
      const headers = era === "legacy" ? await initialize(own) : modernHeaders("hold");
      const answer = await own.post(call("late", "hold", {}, era === "legacy" ? undefined : envelope()), headers);
      expect(answer.headers.get("content-type")).toBe("text/event-stream");
      const reader = answer.body?.getReader();
      let seen = "";
      while (!seen.includes(": keepalive")) seen += new TextDecoder().decode((await reader?.read())?.value);
      slow.release();
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) seen += new TextDecoder().decode(part.value);
      const message = JSON.parse(/^data: (.*)$/m.exec(seen)?.[1] ?? "{}");
      expect([message.id, message.result.content[0].text]).toEqual(["late", "held"]);
      await own.close();
    });

    test(`a client that goes away aborts its call as disconnected (${era}, ${way})`, async () => {
      const left = createFixtureBackend({ plain });
      const own = serve(left, { streamAfterMs: plain ? 10 : 5_000 });
      const headers: Record<string, string> = era === "legacy" ? await initialize(own) : modernHeaders("hold");
      const client = new AbortController();
      const body = JSON.stringify(call(1, "hold", {}, era === "legacy" ? undefined : envelope()));
      const sent = fetch(own.url, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
        body,
        signal: client.signal,
      });
      await left.started("hold");
      if (plain) await sent; // The headers of the stream are here, the answer is not.
      client.abort();
      await sent.catch(() => undefined);
      while (left.aborted.length === 0) await Bun.sleep(5);
      expect(left.aborted).toEqual(["disconnected"]);
      await own.close();
    });
  }

  test(`notifications/cancelled reaches every open call with that id, and no other (${way})`, async () => {
    const busy = createFixtureBackend({ plain });
    const own = serve(busy);
    const session = await initialize(own);
    const calls = [5, 5, "5"].map((id) => own.post(call(id, "hold"), session));
    while (busy.calls.length < 3) await Bun.sleep(5);
    await own.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5, reason: "the user said so" } }, session);
    expect(await Promise.all(calls.slice(0, 2).map(async (answer) => messagesOf(await answer)))).toEqual([[], []]);
    expect(busy.aborted).toEqual(["cancelled", "cancelled"]);
    busy.release();
    expect((await onlyMessage((await calls[2]) ?? new Response()))["id"]).toBe("5");
    await own.close();
  });
}

test("a body beyond the limit is 413, declared or not", async () => {
  const large = new Uint8Array(5 * 1024 * 1024).fill(0x20);
  expect((await served.post(large)).status).toBe(413);
  const chunked = new ReadableStream({
    pull(controller) {
      controller.enqueue(large.subarray(0, 256 * 1024));
    },
  });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  expect((await fetch(served.url, { method: "POST", headers, body: chunked })).status).toBe(413);
});

test("bodies that are no single JSON-RPC message are refused", async () => {
  const invalidUtf8 = new Uint8Array([...new TextEncoder().encode('{"a":"'), 0xff, 0x22, 0x7d]);
  for (const body of ["", "{", "nonsense", '{"a":1}}', invalidUtf8]) {
    expect(await errorOf(await served.post(body))).toEqual({ status: 400, code: -32700 });
  }
  for (const body of ["[]", JSON.stringify([call(1, "echo")]), "null", "7", '"text"', "{}", '{"jsonrpc":"1.0","id":1,"method":"ping"}']) {
    expect(await errorOf(await served.post(body))).toEqual({ status: 400, code: -32600 });
  }
  expect((await served.post("{}", { "content-type": "text/plain" })).status).toBe(415);
});

test("the last of two equal keys counts for everybody", async () => {
  const session = await initialize(served);
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold","name":"echo","arguments":{"text":"a","text":"b"}}}';
  expect(textOf(await onlyMessage(await served.post(body, session)))).toContain('\\"text\\":\\"b\\"');
});

test("arguments that are nested too deep, too many, or would be altered never reach a tool", async () => {
  const session = await initialize(served);
  const modern = modernHeaders("echo");
  const before = backend.calls.length;
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  const many = JSON.stringify(Array.from({ length: 10_001 }, () => 1));
  for (const progressToken of [undefined, 3]) {
    const body = (value: string, meta: JsonObject) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"value":${value}},"_meta":${JSON.stringify({ ...meta, progressToken })}}}`;
    for (const [headers, meta] of [
      [session, {}],
      [modern, envelope()],
    ] as const) {
      for (const value of [deep, many]) {
        const [message] = await messagesOf(await served.post(body(value, meta), headers));
        expect(message).toMatchObject({ id: 1, error: { code: -32602, message: expect.stringContaining("the tool's arguments") } });
      }
      const [message] = await messagesOf(await served.post(body("9007199254740993", meta), headers));
      const error = { code: "invalid_arguments", certainty: "not_applied", retryable: false };
      expect(message).toMatchObject({ id: 1, result: { isError: true, structuredContent: { error } } });
      expect(JSON.stringify(message)).toContain("9007199254740993");
      expect(JSON.stringify(message)).toContain("send it as a string");
    }
  }
  expect(backend.calls.length).toBe(before);
});

test("sessions are named by _meta, else by the header, else by the rules of the backend", async () => {
  const own = createFixtureBackend();
  const edge = serve(own);
  await edge.post(call(1, "echo", {}, envelope({ "toolcrib/session": "from-meta" })), { ...modernHeaders("echo"), "toolcrib-session": "from-header" });
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

test("a failure inside is told to nobody but the operator", async () => {
  const errors: unknown[] = [];
  const own = serve(createFixtureBackend(), { onError: (error) => errors.push(error) });
  const session = await initialize(own);
  for (const meta of [undefined, { progressToken: 1 }]) {
    const answer = await messagesOf(await own.post(call(1, "throws", {}, meta), session));
    expect(answer).toEqual([{ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "Internal error" } }]);
  }
  expect(errors.map(String)).toEqual(["Error: a secret of the inside", "Error: a secret of the inside"]);
  await own.close();
});

test("methods that do not exist are 405", async () => {
  expect((await fetch(served.url, { method: "PUT" })).status).toBe(405);
  for (const method of ["GET", "DELETE"]) {
    expect((await fetch(served.url, { method, headers: { "mcp-protocol-version": "2026-07-28" } })).status).toBe(405);
  }
});
