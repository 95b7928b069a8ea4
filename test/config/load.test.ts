/** Finding, reading and merging the files. */
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../src/config/load.ts";
import { formatProblem } from "../../src/config/problems.ts";
import { broken, errorsOf, folderWith, loaded } from "./fixture.ts";

const named = (name: string) => ({ profiles: { [name]: {} } });
const around = (cwd: string) => ({ cwd, home: join(cwd, "home"), env: {} });

test("without any file the defaults hold", () => {
  const result = loadConfig(around(folderWith()));
  expect(result).toMatchObject({
    ok: true,
    files: [],
    config: {
      listen: { host: "127.0.0.1", port: 7420, allowedHosts: [], allowedOrigins: [] },
      agents: [],
      operators: [],
      profiles: {},
      limits: { slotsPerServer: 64, waitingPerServer: 256, twinMs: 86_400_000 },
      bridge: { maxTimeoutMs: 900_000, connectRetryBaseDelayMs: 1000, configPollSeconds: 5, naming: "prefixed" },
      mcpServers: {},
      secrets: { register: [], ignore: [], families: {} },
    },
  });
});

test("the first of flag, variable, working folder and user folder is taken", () => {
  const cwd = folderWith({
    "flag.jsonc": named("flag"),
    "variable.jsonc": named("variable"),
    "toolcrib.jsonc": named("cwd"),
    "xdg/toolcrib/toolcrib.jsonc": named("xdg"),
    "home/.config/toolcrib/toolcrib.jsonc": named("home"),
  });
  const elsewhere = join(cwd, "home");
  const profile = (options: object): string[] => {
    const result = loadConfig({ ...around(cwd), ...options });
    return result.ok ? Object.keys(result.config.profiles) : result.errors.map(formatProblem);
  };
  const env = { TOOLCRIB_CONFIG: "variable.jsonc", XDG_CONFIG_HOME: join(cwd, "xdg") };
  expect(profile({ env, flag: "flag.jsonc" })).toEqual(["flag"]);
  expect(profile({ env })).toEqual(["variable"]);
  expect(profile({ env: { ...env, TOOLCRIB_CONFIG: "" } })).toEqual(["cwd"]);
  expect(profile({ env: { XDG_CONFIG_HOME: env.XDG_CONFIG_HOME }, cwd: elsewhere })).toEqual(["xdg"]);
  expect(profile({ env: { XDG_CONFIG_HOME: "relative" }, cwd: elsewhere })).toEqual(["home"]);
});

test("a file that is asked for must exist, whatever else is there", () => {
  const cwd = folderWith({ "toolcrib.jsonc": {} });
  const result = loadConfig({ ...around(cwd), flag: "other.jsonc" });
  expect(result.ok ? [] : result.errors.map(formatProblem)).toEqual([
    `${join(cwd, "other.jsonc")}: there is no file ${join(cwd, "other.jsonc")} (check the path, or write the file)`,
  ]);
});

test("--listen replaces the address and keeps the allowed names; a bad one is refused", () => {
  const file = { listen: { address: "127.0.0.1:1", allowedHosts: ["crib"] } };
  expect(loaded(file, {}, { listen: "127.0.0.2:9" }).config.listen).toEqual({
    host: "127.0.0.2",
    port: 9,
    allowedHosts: ["crib"],
    allowedOrigins: [],
  });
  expect(broken(file, {}, { listen: "9" }).errors.map(formatProblem)).toEqual(["--listen: expected HOST:PORT, for example 127.0.0.1:7420"]);
});

test("comments, trailing commas, a byte order mark and $schema are fine", () => {
  const text = '\uFEFF// first\n{ "$schema": "x", /* then */ "limits": { "twinMs": 1, }, }\r\n';
  expect(loaded(text).config.limits.twinMs).toBe(1);
});

test("the digest is the SHA-256 of the main file's bytes", () => {
  const result = loaded({ mcpServers: {} }, { "mcp.json": { mcpServers: {} } });
  const bytes = readFileSync(result.file ?? "");
  expect(result.digest).toBe(createHash("sha256").update(bytes).digest("hex"));
  expect(result.files.map(({ path }) => path.split("/").at(-1))).toEqual(["toolcrib.jsonc", "mcp.json"]);
});

test("servers come from the file and from mcp.json beside it, and know their folder", () => {
  const result = loaded({ mcpServers: { a: { command: "x" } } }, { "mcp.json": '{ "mcpServers": { "b": { "url": "http://b" }, }, }' });
  expect(Object.keys(result.config.mcpServers)).toEqual(["a", "b"]);
  const folder = (result.file ?? "").replace(/\/toolcrib\.jsonc$/, "");
  expect(result.config.mcpServers["b"]).toMatchObject({ folder, file: join(folder, "mcp.json") });
});

test("mcpConfig names one file or several, relative to the main file, and then mcp.json is not read", () => {
  const others = {
    "mcp.json": { mcpServers: { no: { command: "x" } } },
    "more/b.json": { mcpServers: { b: { command: "x" } } },
    "c.json": {},
  };
  const result = loaded({ mcpConfig: ["more/b.json", "c.json"] }, others);
  expect(Object.keys(result.config.mcpServers)).toEqual(["b"]);
  expect(result.config.mcpServers["b"]?.folder.endsWith("/more")).toBe(true);
  expect(Object.keys(loaded({ mcpConfig: "more/b.json" }, others).config.mcpServers)).toEqual(["b"]);
});

test("the folder of saved files is relative to the main file", () => {
  const result = loaded({ bridge: { attachmentsPath: "../saved" } });
  expect(result.config.bridge.attachmentsPath).toBe(join(result.file ?? "", "..", "..", "saved"));
  expect(loaded({ bridge: { attachmentsPath: "/srv/saved" } }).config.bridge.attachmentsPath).toBe("/srv/saved");
});

test("a missing mcpConfig file is an error at the key that names it", () => {
  const { errors } = broken('{\n "mcpConfig": ["none.json"]\n}');
  expect(errors[0]).toMatchObject({ path: "mcpConfig[0]", line: 2, column: 16 });
  expect(errors[0]?.message).toMatch(/^there is no file .*none\.json$/);
});

test("what is there but no file is an error", () => {
  const result = broken({ mcpConfig: "folder" }, { "folder/x": "" });
  expect(result.errors[0]?.message).toMatch(/^the file .*folder cannot be read \(it is no regular file\)$/);
});

test("two servers of one name are refused, also in two files and in other case", () => {
  const [error, ...more] = errorsOf({ mcpServers: { Git: { command: "x" } } }, { "mcp.json": { mcpServers: { git: { command: "y" } } } });
  expect(error).toMatch(/^mcpServers\.git: a server of this name stands at .*toolcrib\.jsonc:1:16 already \(case does not count\)$/);
  expect(more).toEqual([]);
});

test("servers whose names look alike are warned of, also in two files", () => {
  const entry = (command: string) => ({ command });
  const main = { mcpServers: { github: entry("a"), "my.server": entry("b"), mail: entry("c") } };
  const { warnings } = loaded(main, { "mcp.json": { mcpServers: { g1thub: entry("d"), "my-server": entry("e"), post: entry("f") } } });
  expect(warnings.map(({ path, message }) => [path, message])).toEqual([
    ["mcpServers.g1thub", "the name looks like that of the server github"],
    ["mcpServers.my-server", "the name looks like that of the server my.server"],
  ]);
});

test("an mcp.json of older spelling is read: any case, streamable, nulls, switched-off keys, ids with a warning", () => {
  const entry = {
    Type: "Streamable",
    Url: "http://x",
    TransportMode: "HTTP",
    AllowedTools: ["a"],
    Auth: null,
    ArgGuards: [],
    tasks: false,
    id: "00ff",
  };
  const result = loaded({}, { "mcp.json": { McpServers: { s: entry } } });
  expect(result.config.mcpServers["s"]).toMatchObject({ kind: "http", url: "http://x", mode: "streamable-http", allowedTools: ["a"] });
  expect(result.warnings.map((warning) => warning.path)).toEqual(["mcpServers.s.id"]);
});

test("what works but may not be meant is a warning", () => {
  const entry = { command: "x", allowedTools: ["a"], deniedTools: ["b"], toolTimeoutMs: 2000 };
  const file = { bridge: { maxTimeoutMs: 1000, defaultTimeoutMs: 1001 }, mcpServers: { s: entry, t: { command: "x", toolTimeoutMs: 0 } } };
  expect(loaded(file).warnings.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    "bridge.defaultTimeoutMs: is cut to bridge.maxTimeoutMs, 1000",
    "mcpServers.s.deniedTools: stands beside allowedTools: a tool in both lists is denied",
    "mcpServers.s.toolTimeoutMs: is cut to bridge.maxTimeoutMs, 1000",
    "mcpServers.t.toolTimeoutMs: is ignored: a deadline is longer than 0 ms",
  ]);
});

test("an address that other machines can reach needs agents with tokens, in the file and on the command line", () => {
  const inFile = broken({ listen: "0.0.0.0:7420" });
  expect(inFile.errors).toMatchObject([
    { path: "listen", line: 1, message: "0.0.0.0 can be reached from other machines, and no agent has a token" },
  ]);
  expect(broken({}, {}, { listen: "0.0.0.0:7420" }).errors).toMatchObject([{ file: "--listen", path: "listen" }]);
  const agents = [{ name: "ada", tokenHash: `sha256:${"0".repeat(64)}` }];
  expect(loaded({ listen: "0.0.0.0:7420", agents }).config.listen.host).toBe("0.0.0.0");
});
