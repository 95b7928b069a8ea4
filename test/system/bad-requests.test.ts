/** Requests that nobody should send: each gets a clear answer, and the next call of the same session is served as if nothing had happened. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { join } from "node:path";
import { openSessions } from "./canary-doors.ts";
import { type Daemon, fixtureServer, makePlace, type Place, send, startDaemon, whenServed } from "./daemon-fixture.ts";

let place: Place;
let daemon: Daemon;
let url: string;
let sessions: Awaited<ReturnType<typeof openSessions>>;
const MIB = 1024 * 1024;

beforeAll(async () => {
  place = makePlace({ mcpServers: { fix: fixtureServer() } });
  daemon = startDaemon(place);
  url = await daemon.url;
  await whenServed(url, "fix__echo", { text: "there" });
  sessions = await openSessions(url);
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

const JSON_TYPE = { "content-type": "application/json", accept: "application/json, text/event-stream" };

const NOT_JSON = [
  "{",
  '{"arguments": }',
  "nul",
  "[1,]",
  '"\\ud800',
  "{'a': 1}",
  '{"a": 01}',
  "\u0000",
  "\uFEFF{}x",
  '{"a": NaN}',
  "[".repeat(100_000),
  '{"arguments": {"a": 1}',
  "\xff\xfe",
];
const NOT_A_CALL = [
  "null",
  "[]",
  '"text"',
  "12",
  "true",
  '{"arguments": []}',
  '{"arguments": null}',
  '{"arguments": "{}"}',
  '{"arguments": {}, "session": "a b"}',
  '{"arguments": {}, "timeoutMs": -1}',
];

describe("a body", () => {
  test("of REST that is no JSON, or no call, is 400 with a hint, and nothing is recorded", async () => {
    for (const body of [...NOT_JSON, ...NOT_A_CALL]) {
      const { status, json } = await send(url, "/v1/tools/fix__echo/call", body);
      expect({ body: body.slice(0, 40), status, json }).toEqual({
        body: body.slice(0, 40),
        status: 400,
        json: { error: { code: "invalid_arguments", message: expect.any(String), certainty: "not_applied", retryable: false } },
      });
    }
    await sessions.serves();
  });

  test("of MCP that is no JSON is -32700, one that is no message 400", async () => {
    for (const body of NOT_JSON) {
      const { status, text } = await send(url, "/mcp", body, JSON_TYPE);
      expect({ body: body.slice(0, 40), status, text }).toEqual({
        body: body.slice(0, 40),
        status: 400,
        text: expect.stringContaining("-32700"),
      });
    }
    for (const body of [
      "null",
      "[]",
      "12",
      "{}",
      '{"jsonrpc":"1.0"}',
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
      "[{}]",
      `[${'{"jsonrpc":"2.0","id":1,"method":"ping"},'.repeat(2).slice(0, -1)}]`,
    ]) {
      const { status, text } = await send(url, "/mcp", body, JSON_TYPE);
      expect({ body, isRefused: status >= 400 && status < 500, text }).toEqual({
        body,
        isRefused: true,
        text: expect.stringContaining('"error"'),
      });
    }
    await sessions.serves();
  });

  test("of 5 MiB is 413, through every door", async () => {
    const body = `{"arguments":{"text":"${"x".repeat(5 * MIB)}"}}`;
    for (const path of ["/v1/tools/fix__echo/call", "/mcp"]) expect((await send(url, path, body, JSON_TYPE)).status).toBe(413);
    const chunks = new ReadableStream({
      async pull(controller) {
        for (let sent = 0; sent < 5; sent++) controller.enqueue(new Uint8Array(MIB).fill(0x20));
        controller.close();
      },
    });
    // Without a length in front, it is counted as it comes.
    const { status } = await fetch(`${url}/v1/tools/fix__echo/call`, { method: "POST", body: chunks });
    expect(status).toBe(413);
    await sessions.serves();
  });
});

describe("a request", () => {
  test("for a path that cannot be decoded is 400", async () => {
    const { status, json } = await send(url, "/v1/tools/%E0%A4%A/call", "{}");
    expect({ status, json }).toMatchObject({ status: 400, json: { error: { code: "invalid_arguments" } } });
    expect((await send(url, "/v1/doubts/%E0%A4%A", "{}")).status).toBe(400);
    await sessions.serves();
  });

  test("of a method that is not served, or for a path that is not there, is told so", async () => {
    const ask = async (method: string, path: string) => (await fetch(`${url}${path}`, { method })).status;
    expect(
      await Promise.all([ask("PUT", "/mcp"), ask("POST", "/nowhere"), ask("GET", "/v1/tools/fix__echo/call"), ask("DELETE", "/debug")]),
    ).toEqual([405, 404, 405, 405]);
    await sessions.serves();
  });
});

test("junk on the socket of toolcrib stdio ends that connection at most", async () => {
  const talk = (bytes: string | Buffer) =>
    new Promise<void>((resolve) => {
      const socket = connect(join(place.data, "mcp.sock"), () => socket.end(bytes));
      socket
        .on("close", resolve)
        .on("error", () => resolve())
        .resume();
    });
  const call2 = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n';
  for (const hello of [
    "{",
    "null\n",
    '{"session":5}\n',
    '{"session":{"a":1},"profile":[]}\n',
    `{"session":"${"s".repeat(3000)}"}\n`,
    "\0\0\n",
    `${"x".repeat(10_000)}`,
  ])
    await talk(`${hello}${call2}`);
  await talk(Buffer.concat([Buffer.from("{}\n"), Buffer.alloc(6 * MIB, "y"), Buffer.from("\n")]));
  await talk(`{}\n${NOT_JSON.join("\n")}\n`);
  await sessions.serves();
  expect(daemon.stderr()).not.toContain("failed");
});
