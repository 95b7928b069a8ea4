/** What a body may be: size, syntax, depth, number of elements, numbers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
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
  type Served,
  serve,
  textOf,
} from "./serve.ts";

let backend: FixtureBackend;
let served: Served;
beforeAll(() => {
  backend = createFixtureBackend();
  served = serve(backend);
});
afterAll(() => served.close());

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

test("a message of any kind that is nested too deep is refused", async () => {
  const session = await initialize(served);
  const deep = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
  for (const method of ["initialize", "ping", "notifications/initialized", "tools/call"]) {
    const id = method.startsWith("notifications") ? "" : '"id":1,';
    for (const place of ["_meta", "capabilities", "extra"]) {
      const body = `{"jsonrpc":"2.0",${id}"method":"${method}","params":{"name":"echo","${place}":${deep}}}`;
      const answer = await served.post(body, session);
      const [message] = await messagesOf(answer);
      expect([method, place, answer.status < 500, message?.["error"] !== undefined]).toEqual([method, place, true, true]);
    }
  }
  const clientInfo = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":${deep}}}}`;
  expect((await served.post(clientInfo, modernHeaders("echo"))).status).toBe(400);
});
