/** An mcp.json and the options of the bridge, paragraph by paragraph: the file, its entries, the options, whose entries they are, which are the same, and how changes are seen. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../src/config/load.ts";
import { formatProblem } from "../../src/config/problems.ts";
import { resolveEntry } from "../../src/config/resolve.ts";
import { folderWith, load, loaded, ref } from "./fixture.ts";
import { watched } from "./watch-fixture.ts";

/** What becomes of an mcp.json: the names of its servers, or the first error. */
function read(content: unknown): string {
  const result = load({}, content === undefined ? {} : { "mcp.json": content });
  return result.ok ? Object.keys(result.config.mcpServers).join() : (result.errors[0]?.message ?? "");
}
const entry = (written: object) => loaded({ mcpServers: { s: written } }).config.mcpServers["s"];
const warningsOf = (written: object) => loaded({ mcpServers: { s: written } }).warnings.map(({ path, message }) => `${path} ${message}`);

test("the file: missing is empty, unknown spelling is read, what cannot be read is an error, and nothing is ever written", () => {
  const table: [content: unknown, read: string][] = [
    [undefined, ""],
    [{}, ""],
    [{ mcpServers: { a: { command: "x" } } }, "a"],
    [{ MCPSERVERS: { a: { Command: "x", ARGS: [] } } }, "a"],
    ['{ // mine\n"mcpServers": { "a": { "command": "x", }, }, }', "a"],
    ["", "the file is empty"],
    ["{", "not valid JSONC: a closing } is missing"],
    ['{"mcpServers": {}} {}', "not valid JSONC: there is more text after the end of the document"],
    [[], "expected an object, found a list"],
  ];
  expect(table.map(([content]) => read(content))).toEqual(table.map(([, expected]) => expected));

  const cwd = folderWith({
    "toolcrib.jsonc": {},
    "mcp.json": { mcpServers: { a: { url: "http://x" }, b: { url: "http://x/" } } },
    "mcp.json.bak": "{",
  });
  const bytes = () => readdirSync(cwd).map((name) => [name, readFileSync(join(cwd, name), "utf8"), statSync(join(cwd, name)).mtimeMs]);
  const before = bytes();
  expect(loadConfig({ cwd, home: cwd, env: {} })).toMatchObject({ ok: true });
  expect(bytes()).toEqual(before);
});

test("its entries: every field with its default, the kinds, the lists, the deadline, and values from the environment", () => {
  const common = { allowedTools: [], deniedTools: [], trusted: false, disabled: false, tools: {} };
  expect(entry({ command: "x" })).toMatchObject({ kind: "stdio", command: "x", args: [], env: {}, ...common });
  expect(entry({ url: "http://x" })).toMatchObject({ kind: "http", url: "http://x", mode: "auto", headers: {}, ...common });
  for (const absent of ["toolTimeoutMs", "summary", "auth", "cwd"]) expect(entry({ command: "x" })).not.toHaveProperty(absent);

  const kinds: [written: object, kind: string, mode?: string][] = [
    [{ type: "STDIO", command: "x" }, "stdio"],
    [{ type: "SSE", url: "http://x" }, "http", "auto"],
    [{ type: "Streamable-HTTP", url: "http://x" }, "http", "auto"],
    [{ type: "streamable", url: "http://x" }, "http", "auto"],
    [{ url: "http://x", transportMode: "SSE" }, "http", "sse"],
    [{ url: "http://x", transportMode: "streamable" }, "http", "streamable-http"],
    [{ url: "http://x", transportMode: "http" }, "http", "streamable-http"],
  ];
  for (const [written, kind, mode] of kinds) expect(entry(written)).toMatchObject({ kind, ...(mode !== undefined && { mode }) });

  expect(warningsOf({ command: "x", allowedTools: ["a"], deniedTools: ["a"] })[0]).toContain("a tool in both lists is denied");
  expect(warningsOf({ command: "x", toolTimeoutMs: 0 })[0]).toContain("is ignored");
  expect(warningsOf({ command: "x", toolTimeoutMs: 1_000_000 })[0]).toContain("is cut to bridge.maxTimeoutMs");

  const placed = entry({ url: `http://${ref("env:HOST")}`, headers: { "X-A": ref("A"), "X-B": ref("B:-two"), "X-C": ref("C") } });
  if (!placed) throw new Error("no entry");
  const env = { HOST: "h", A: "one", C: "" };
  expect(resolveEntry("s", placed, { env })).toMatchObject({ target: { url: "http://h", headers: { "X-A": "one", "X-B": "two" } } });
  expect(resolveEntry("s", placed, { env: { HOST: "h", C: "" } })).toMatchObject({
    refused: expect.stringContaining("variable A is not set"),
  });
});

test("the options: their defaults", () => {
  expect(loaded({}).config.bridge).toEqual({
    wrapperMode: "pinned",
    maxNameLength: 48,
    listAllUpTo: 40,
    maxActivatedToolsPerSession: 40,
    maxPinnedServersPerSession: 3,
    activationIdleMs: 12 * 3_600_000,
    maxToolsPerRequest: 120,
    drift: { changed: "withhold", added: "warn" },
    naming: "prefixed",
    defaultServers: {},
    maxTimeoutMs: 900_000,
    resourceInlineTextLimit: 32_000,
    connectRetryCount: 2,
    connectRetryBaseDelayMs: 1000,
    sweepSeconds: 60,
    surfaceRefreshSeconds: 300,
    configPollSeconds: 5,
    maxPendingQuestionsPerSession: 5,
    maxPendingQuestions: 50,
    maxTasksPerSession: 3,
    maxTasks: 20,
    defaultTaskTimeoutMinutes: 60,
    taskPollMinMs: 500,
    taskPollMaxMs: 30_000,
    taskPollFailureLimit: 10,
    allowPrivateAddresses: false,
  });
});

test("whose they are: every entry of a file is the operator's, whatever it says of itself; ids are not taken from files", () => {
  const written = { url: "http://x", id: "00ff00ff00ff", Origin: "agent" };
  expect(entry(written)).not.toHaveProperty("id");
  expect(entry(written)).not.toHaveProperty("origin");
  expect(warningsOf(written).map((warning) => warning.split(" ", 3).join(" "))).toEqual([
    "mcpServers.s.id is ignored:",
    "mcpServers.s.Origin is ignored:",
  ]);
});

test("which are the same: the preferred name stays, default servers are added once and replace nothing", () => {
  const url = "https://x.example/mcp";
  const table: [servers: object, defaults: object, names: string][] = [
    [{ b: { url }, a: { url } }, {}, "a"],
    [{ B: { url }, a: { url: `${url}/` } }, {}, "a"],
    [{ b: { url }, a: { url } }, { b: url }, "b"],
    [{ b: { url }, a: { url, headers: { X: "1" } } }, {}, "b,a"],
    [{ b: { url }, a: { url, trusted: true, toolTimeoutMs: 1 } }, {}, "a"],
    [{}, { seed: url }, "seed"],
    [{ mine: { url: url.toUpperCase().replace("/MCP", "/mcp") } }, { seed: url }, "mine"],
    [{ seed: { command: "x" } }, { seed: url }, "seed"],
    [{ mine: { command: "x" } }, { seed: url }, "mine,seed"],
  ];
  const names = ([mcpServers, defaultServers]: (typeof table)[number]) => {
    const result = load({ mcpServers, bridge: { defaultServers } });
    return result.ok ? Object.keys(result.config.mcpServers).join() : result.errors.map(formatProblem).join();
  };
  expect(table.map(names)).toEqual(table.map(([, , expected]) => expected));
});

test("how changes are seen: by an event or by the poll alone, renamed into place, during a reload, and never by our own hand", () => {
  const servers = (...names: string[]) =>
    JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: name }])) });
  const it = watched({ "toolcrib.jsonc": {}, "mcp.json": servers("a") });
  const seen = () => it.results.map((result) => (result.ok ? Object.keys(result.config.mcpServers).join() : "broken"));
  it.timers.advance(60_000);
  expect(seen()).toEqual([]); // we write nothing, so there is nothing to see
  writeFileSync(join(it.cwd, "new"), servers("b"));
  renameSync(join(it.cwd, "new"), join(it.cwd, "mcp.json"));
  it.event("mcp.json");
  it.timers.advance(1000);
  expect(seen()).toEqual(["b"]);
  it.write("mcp.json", servers("b", "c")); // no event: an overlay or a network file system
  it.timers.advance(5500);
  expect(seen()).toEqual(["b", "b,c"]);
  it.write("mcp.json", "{ half of");
  it.timers.advance(60_000);
  expect(seen()).toEqual(["b", "b,c", "broken"]); // told once, not at every poll
  it.write("mcp.json", servers("d"));
  it.timers.advance(5500);
  expect(seen().at(-1)).toBe("d");
});
