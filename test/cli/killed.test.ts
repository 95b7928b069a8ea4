/** Every reading verb on the folder of a daemon that was killed in the middle of a call. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
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
  expect(checks).toContainEqual({ name: "owner", state: "note", detail: "no toolcrib runs on this folder" });
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
