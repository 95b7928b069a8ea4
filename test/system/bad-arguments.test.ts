/** Arguments that nobody should send: too deep, too wide, not representable. Each is refused, and the next call of the same session is served. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openSessions } from "./canary-doors.ts";
import { call, type Daemon, fixtureServer, makePlace, type Place, send, startDaemon, whenServed } from "./daemon-fixture.ts";

let place: Place;
let daemon: Daemon;
let url: string;
let sessions: Awaited<ReturnType<typeof openSessions>>;
const MIB = 1024 * 1024;

beforeAll(async () => {
  const recorder = { command: process.execPath, args: [join(import.meta.dir, "canary-server.ts")], env: { RECORD: "/dev/null" } };
  place = makePlace({ mcpServers: { fix: fixtureServer(), rec: recorder } });
  daemon = startDaemon(place);
  url = await daemon.url;
  await whenServed(url, "fix__echo", { text: "there" });
  sessions = await openSessions(url);
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

const rss = () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${daemon.pid}/status`, "utf8"))?.[1]) * 1024;
const JSON_TYPE = { "content-type": "application/json", accept: "application/json, text/event-stream" };

const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
describe("arguments", () => {
  test("nested 65 deep or 100,000 deep are refused, 60 deep are not", async () => {
    expect((await send(url, "/v1/tools/fix__echo/call", `{"arguments":${deep(60)}}`)).status).toBe(200);
    for (const depth of [65, 1000, 100_000]) {
      const { status, text } = await send(url, "/v1/tools/fix__echo/call", `{"arguments":${deep(depth)}}`);
      expect({ depth, status, text }).toEqual({ depth, status: 400, text: expect.stringMatching(/nested deeper|not JSON/) });
      const params = `{"name":"fix__echo","arguments":${deep(depth)}}`;
      const answer = await send(url, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`, JSON_TYPE);
      expect(answer.text).toMatch(/nested deeper|-32700|error/);
    }
    await sessions.serves();
  });

  test("of 1,000,000 elements are refused while others are answered, and memory grows by less than 200 MB", async () => {
    const wide = JSON.stringify({ arguments: { list: Array.from({ length: 1_000_000 }, () => 1) } });
    const keys = JSON.stringify({ arguments: Object.fromEntries(Array.from({ length: 250_000 }, (_, index) => [`k${index}`, 1])) });
    const before = rss();
    let most = before;
    const sample = setInterval(() => {
      most = Math.max(most, rss());
    }, 5);
    const refusals = [wide, keys, wide, keys].map((body) => send(url, "/v1/tools/fix__echo/call", body));
    const others = await Promise.all(
      Array.from({ length: 10 }, (_, index) => call(url, "fix__echo", { text: `other ${index}` }, { session: `s${index}` })),
    );
    for (const { status, text } of await Promise.all(refusals))
      expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining("10,000 elements") });
    clearInterval(sample);
    expect(others.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(most - before).toBeLessThan(200 * MIB);
    await sessions.serves();
  });

  test("with a number that JSON cannot hold are refused, not altered", async () => {
    const args = '{"text":"x","n":[1e400]}';
    const rest = await send(url, "/v1/tools/fix__echo/call", `{"arguments":${args}}`);
    expect(rest).toMatchObject({ status: 400, json: { error: { code: "invalid_arguments", certainty: "not_applied" } } });
    const params = `{"name":"fix__echo","arguments":${args}}`;
    const mcp = await sessions.legacy.raw(`{"jsonrpc":"2.0","id":"n","method":"tools/call","params":${params}}`);
    expect(mcp).toContain("invalid_arguments");
    await sessions.serves();
  });

  test("with a key named __proto__ reach the server as they are, through every door, and change nothing here", async () => {
    const args = '{"text":"x","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    await whenServed(url, "rec__echo");
    const rest = await send(url, "/v1/tools/rec__echo/call", `{"arguments":${args}}`);
    const mcp = await sessions.legacy.request("tools/call", { name: "rec__echo", arguments: JSON.parse(args) as object });
    for (const answer of [rest.text, mcp]) expect(answer).toContain(JSON.stringify(args));
    await sessions.serves();
  });
});
