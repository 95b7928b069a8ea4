/** Every reading verb on the folder of a daemon that was killed in the middle of a call. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { clear, json, lines, place, run, serve, start, until } from "./support.ts";

const here = place();
const data = ["--data", here.data];
let cut = "";

beforeAll(async () => {
  const daemon = await serve(here);
  await until(async () => (await run(["tools", ...data])).stdout.includes("two__hang"));
  await run(["call", "one__echo", '{"text":"before"}', ...data]);
  const hanging = start(["call", "two__hang", "{}", "--session", "cut", ...data]);
  const inFlight = async () => lines((await run(["events", "--json", "--type", "call.dispatched", ...data])).stdout).at(-1);
  await until(async () => (await inFlight())?.["stream"] === "server/two");
  cut = String((await inFlight())?.["call"]);
  daemon.kill("SIGKILL");
  await daemon.exited;
  expect(await hanging.exited).toBe(69);
});
afterAll(() => clear(here));

test("events, export and replay read what was committed", async () => {
  const events = lines((await run(["events", "--json", ...data])).stdout);
  expect(events.at(-1)).toMatchObject({ type: "call.dispatched", call: cut });
  expect(lines((await run(["export", ...data])).stdout)).toHaveLength(events.length);
  const { state } = (await json(["replay", "--stream", "server/two", ...data])) as { state: { inFlight: object } };
  expect(Object.keys(state.inFlight)).toEqual([cut]);
});

test("show tells that the call has no end yet", async () => {
  expect((await run(["show", cut, ...data])).stdout).toContain("none yet, it is in flight");
  expect(await json(["show", "cut", ...data])).toMatchObject({ kind: "session", calls: [{ call: cut, status: "in_flight" }] });
  expect(await json(["doubts", ...data])).toMatchObject({ doubts: [] });
});

test("verify finds it sound, and a backup of it as well", async () => {
  expect(await json(["verify", "--deep", ...data])).toMatchObject({ verdict: "sound", deep: { mismatches: [] } });
  const to = join(here.root, "copy");
  expect((await run(["backup", `${to}/`, ...data])).code).toBe(0);
  expect((await run(["verify", "--data", to])).code).toBe(0);
});

describe("simulate", () => {
  const rules = (content: string) => {
    const file = join(here.root, "rules.jsonc");
    writeFileSync(file, content);
    return ["simulate", "--policy", file, ...data];
  };

  test("ends 0 when nothing changes and 1 when something does, and says what", async () => {
    const same = await run([...rules("// nothing\n{}"), "--json"]);
    expect({ code: same.code, ...JSON.parse(same.stdout) }).toMatchObject({ code: 0, calls: 2, changed: [], counts: { unknown: 0 } });
    const deny = rules(
      '{ "policy": { "rules": [{ "name": "quiet", "tool": "one__echo", "when": "text == \'before\'", "action": "deny" }] } }',
    );
    const { code, stdout } = await run(deny);
    expect({ code, last: stdout.trimEnd().split("\n").at(-1) }).toEqual({ code: 1, last: "2 calls, 1 would change" });
    expect(stdout).toMatch(/one__echo +allowed +refused +quiet\n/);
    const [changed] = ((await json(deny)) as { changed: object[] }).changed;
    expect(changed).toMatchObject({ tool: "one__echo", was: "allowed", now: "refused", rule: "quiet" });
  });

  test("limits are accepted and said to be ignored", async () => {
    const { code, stderr } = await run(rules('{\n "limits": { "callsPerHour": 1 } }'));
    expect(code).toBe(0);
    expect(stderr).toContain("rules.jsonc:2:");
    expect(stderr).toContain("is ignored");
  });

  test.each([
    ['{\n "policy": { "denny": [] } }', "rules.jsonc:2:"],
    ['{\n "policy": { "rules": [{ "name": "a", "tool": "*", "when": "1 +", "action": "deny" }] } }', "rules.jsonc:2:"],
    ['{\n "mcpServers": { "one": { "command": "x" } } }', "is not a known key"],
    ['{\n "mcpServers": { "one": { "argGuards": [{ "handler": "none" }] } } }', "rules.jsonc:2:"],
    ['{ "listen": "127.0.0.1:1" }', "is not a known key"],
    ["{", "rules.jsonc:1:"],
  ])("%s cannot be used: 78, and where", async (content, words) => {
    const { code, stdout, stderr } = await run(rules(content));
    expect({ code, stdout }).toEqual({ code: 78, stdout: "" });
    expect(stderr).toContain(words);
  });

  test("nor can a file that is not there", async () => {
    expect((await run(["simulate", "--policy", join(here.root, "none"), ...data])).code).toBe(78);
  });
});

test("tools classify proposes what the tools may do, and keeps what the operator said", async () => {
  const { server, tools, reasons } = (await json(["tools", "classify", "ONE", ...data])) as {
    server: string;
    tools: Record<string, { capability: string }>;
    reasons: Record<string, string>;
  };
  expect({ server, echo: tools["echo"], reason: reasons["echo"] }).toEqual({
    server: "one",
    echo: { capability: "read" },
    reason: "as configured",
  });
  expect({ hang: tools["hang"], reason: reasons["hang"] }).toEqual({ hang: { capability: "mutating" }, reason: "nothing tells" });
  const { code, stdout, stderr } = await run(["tools", "classify", "one", ...data]);
  expect(code).toBe(0);
  expect(stdout).toContain('  "echo": { "capability": "read" }, // as configured');
  expect(JSON.parse(`{${stdout.replace(/ \/\/ .*$/gm, "")}}`)).toEqual({ tools });
  expect(stderr).toContain("Nothing is changed");
  const missing = await run(["tools", "classify", "three", ...data]);
  expect({ code: missing.code, names: missing.stderr.includes("one, two") }).toEqual({ code: 1, names: true });
});

test("doctor says that nobody runs on it", async () => {
  const { checks } = (await json(["doctor", "--config", here.config, ...data])) as { checks: object[] };
  const next = `start one: toolcrib serve --data ${here.data}`;
  expect(checks).toContainEqual({ name: "owner", state: "note", detail: "no toolcrib runs on this folder", next });
});

describe("what needs the daemon ends 69 and says how to start it", () => {
  test.each([
    ["tools", []],
    ["call", ["one__echo", "{}"]],
    ["resolve", ["c_1-0", "applied", "--note", "x"]],
  ])("%s", async (verb, rest) => {
    const { code, stderr } = await run([verb, ...rest, ...data]);
    expect(code).toBe(69);
    expect(stderr).toContain("toolcrib serve --data");
  });
});
