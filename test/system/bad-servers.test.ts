/** Servers that write what no server should, end, or never begin: their own call fails at most, and everybody else is served. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import {
  asOperator,
  call,
  type Daemon,
  fixtureServer,
  makePlace,
  type Place,
  send,
  startDaemon,
  until,
  whenServed,
} from "./daemon-fixture.ts";

let place: Place;
let daemon: Daemon;
let url: string;
const MIB = 1024 * 1024;

/** A legacy server with one tool as it should be, and one whose definition is no JSON that could be written again. */
const HUGE = `for await (const line of console) {
  const { id, method, params } = JSON.parse(line);
  const answer = (result) => console.log('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',' + result + '}');
  const schema = (n) => '{"type":"object","properties":{"n":{"type":"number","maximum":' + n + '}}}';
  if (method === "initialize") answer('"result":' + JSON.stringify({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "huge", version: "1" } }));
  else if (method === "tools/list") answer('"result":{"tools":[{"name":"a","inputSchema":' + schema("1e400") + '},{"name":"b","inputSchema":' + schema("9") + '}]}');
  else if (id !== undefined) answer('"error":{"code":-32601,"message":"no"}');
}`;

beforeAll(async () => {
  const mcpServers = {
    fix: fixtureServer(),
    dead: fixtureServer({ FIXTURE_DEAD: "1" }),
    slow: fixtureServer({ FIXTURE_START_MS: "60000" }),
    gone: { command: "/no/such/program" },
    nobody: { url: "http://127.0.0.1:9/mcp" },
    mute: { command: "sleep", args: ["600"] },
    closed: { command: "sh", args: ["-c", "exec >&-; sleep 600"] },
    round: fixtureServer({ FIXTURE_LOOP: "1" }),
    huge: { command: process.execPath, args: ["-e", HUGE] },
    odd: fixtureServer({ FIXTURE_BAD_TOOLS: "1" }),
  };
  place = makePlace({ bridge: { connectRetryBaseDelayMs: 50 }, mcpServers });
  daemon = startDaemon(place);
  url = await daemon.url;
});
afterAll(async () => {
  await daemon.stop();
  place[Symbol.dispose]();
});

const serves = async () => expect((await call(url, "fix__echo", { text: "still here" })).text).toContain('"text":"still here"');
const memory = () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${daemon.pid}/status`, "utf8"))?.[1]) * 1024;
const server = async (name: string) => (await send(url, `/debug/api/servers/${name}`, undefined, asOperator(place))).json;

test("servers that are dead, hang, shout or are not there delay neither readiness nor the tools of the others", async () => {
  expect((await send(url, "/readyz")).status).toBe(200);
  await whenServed(url, "fix__echo", { text: "there" });
  const { tools } = (await send(url, "/v1/tools")).json as { tools: readonly { name: string }[] };
  expect(tools.map(({ name }) => name)).toContain("fix__echo");
  expect(await server("slow")).toMatchObject({ state: "connecting" });
  for (const name of ["dead", "gone", "nobody"]) await until(`${name} failed`, async () => (await server(name))["lastError"]);
  expect(await server("gone")).toMatchObject({ lastError: expect.stringContaining('Cannot start "/no/such/program"') });
  expect(await server("dead")).toMatchObject({ lastError: expect.stringContaining("fatal: no configuration") });
  await until("a tool that cannot be written down is left out", async () => (await server("huge"))["toolCount"] === 1);
  await until("the tools that are tools are offered", async () => (await server("odd"))["toolCount"]);
  await until("an endless list is noticed", async () => String((await server("round"))["lastError"]).includes("nextCursor"));
  const { status, json } = await call(url, "dead__echo");
  expect({ status, json }).toMatchObject({ status: 502, json: { error: { code: "not_connected", certainty: "not_applied" } } });
});

describe("a child that writes", () => {
  test("half a JSON line and other junk is listened to all the same", async () => {
    const { status, text } = await call(url, "fix__junk");
    expect({ status, text }).toEqual({ status: 200, text: expect.stringContaining("after junk") });
    await serves();
  });

  test("a line of 64 MiB loses that call only, with its outcome in doubt", async () => {
    const before = memory();
    const { status, json } = await call(url, "fix__big", { bytes: 64 * MIB });
    expect({ status, json }).toMatchObject({
      status: 502,
      json: { error: { code: "execution_failed", certainty: "in_doubt", retryable: false } },
    });
    await serves();
    expect(memory() - before).toBeLessThan(200 * MIB);
  });

  test("1 GB to stderr is heard to the end, and costs no memory", async () => {
    const before = memory();
    const flood = call(url, "fix__flood", { bytes: 1_000_000_000 });
    await serves();
    expect((await flood).text).toContain("flooded");
    expect(memory() - before).toBeLessThan(250 * MIB);
    expect((await server("fix"))["stderr"]).toContain("last words");
    await serves();
  }, 60_000);
});

test("a child that crashes is back for the next call of the same session", async () => {
  const before = (await server("fix"))["pid"];
  const { status, json } = await call(url, "fix__crash");
  expect({ status, json }).toMatchObject({ status: 502, json: { error: { code: "execution_failed", certainty: "in_doubt" } } });
  await serves();
  expect((await server("fix"))["pid"]).not.toBe(before);
});

test("children that write without end, to stdout or to stderr, leave time for everybody else", async () => {
  const shouting = (script: string) => ({ command: "sh", args: ["-c", script] });
  const message = `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`;
  const mcpServers = {
    fix: fixtureServer(),
    words: shouting("yes"),
    messages: shouting(`yes '${message}'`),
    errors: shouting("yes >&2"),
  };
  using other = makePlace({ mcpServers });
  await using beset = startDaemon(other);
  const at = await beset.url;
  await whenServed(at, "fix__echo", { text: "there" });
  for (let count = 0; count < 3; count++) expect((await call(at, "fix__echo", { text: "still here" })).status).toBe(200);
  expect((await send(at, "/readyz")).status).toBe(200);
  expect(await beset.stop()).toBe(0);
}, 30_000);
