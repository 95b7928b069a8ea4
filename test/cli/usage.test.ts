/** Exit codes and words of the command line itself, and the verbs that need no daemon. */
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT } from "../../src/cli/exit.ts";
import { systemErrorWords } from "../../src/cli/system-error.ts";
import { json, run } from "./support.ts";

const root = mkdtempSync(join(tmpdir(), "toolcrib-usage-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const missing = ["--data", join(root, "none")];
const file = (name: string, content: unknown): string => {
  const path = join(root, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};

describe("bad usage ends 2 on stderr", () => {
  test.each([
    [["nonsense"]],
    [["events", "--nonsense"]],
    [["events", "--after", "soon"]],
    [["events", "--limit", "0"]],
    [["call"]],
    [["resolve", "c_1", "perhaps", "--note", "x"]],
    [["resolve", "c_1", "applied"]],
    [["replay", "--at", "yesteryear"]],
    [["simulate"]],
    [["tools", "--format", "yaml"]],
    [["tools", "nonsense"]],
    [["tools", "accept", "mail"]],
    [["tools", "accept", "mail", "send", "--all"]],
    [["tools", "classify"]],
    [["stdio", "--session", "with space"]],
    [["serve", "--idle-exit", "soon"]],
    [[]],
  ])("%p", async (args) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).not.toBe("");
  });

  test("but 64 of verify, where 2 means cut short", async () => {
    expect((await run(["verify", "--nonsense"])).code).toBe(64);
    expect((await run(["verify", "--expect-head", join(root, "none"), ...missing])).code).toBe(64);
  });

  test("a verb that is nearly one is suggested", async () => {
    expect((await run(["event"])).stderr).toContain("events");
  });
});

test("help ends 0 and lists the verbs of this release only", async () => {
  const { code, stdout } = await run(["--help"]);
  expect(code).toBe(0);
  for (const verb of [
    "serve",
    "stdio",
    "verify",
    "doctor",
    "import",
    "connect",
    "secret",
    "simulate",
    "questions",
    "answer",
    "tasks",
    "cancel",
  ])
    expect(stdout).toContain(`  ${verb} `);
  for (const verb of ["sql-worker", "schedules"]) expect(stdout).not.toContain(verb);
  for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  for (const code of Object.values(EXIT)) expect(stdout).toMatch(new RegExp(`\\b${code} [a-z]`));
});

test("a folder without a log: reading it ends 65, verify 3", async () => {
  for (const args of [
    ["events"],
    ["show", "c_1"],
    ["doubts"],
    ["approvals"],
    ["questions"],
    ["tasks"],
    ["replay"],
    ["export"],
    ["head"],
    ["backup", join(root, "b")],
    ["simulate", "--policy", file("rules.jsonc", "{}")],
  ]) {
    const { code, stderr } = await run([...args, ...missing]);
    expect({ args, code }).toEqual({ args, code: 65 });
    expect(stderr).toContain(join(root, "none"));
  }
  expect((await run(["verify", ...missing])).code).toBe(3);
});

test("what the system refuses is said in words, with the file and what to do", () => {
  const said = (code: string, more: object) =>
    systemErrorWords(Object.assign(new Error(`${code}: no such file or directory, open '/a'`), { code, ...more }));
  expect(said("ENOENT", { path: "/a" })).toBe("/a: there is no such file or folder; check the path");
  expect(said("ENOENT", { path: "/a", dest: "/b" })).toBe("/b: there is no such file or folder; check the path");
  expect(said("EROFS", { path: "/a" })).toBe("/a: the file system is read-only; name another place");
  expect(said("EWHATEVER", { path: "/a" })).toBeUndefined();
  expect(said("ENOENT", {})).toBeUndefined();
  expect(systemErrorWords(Object.assign(new Error("words of ours"), { code: "EACCES", path: "/a" }))).toBeUndefined();
});

describe("config", () => {
  test("check ends 78 for a file that cannot be used, and says where", async () => {
    const bad = file("bad.jsonc", '{\n  "mcpServer": {}\n}');
    const { code, stdout } = await run(["config", "check", "--config", bad]);
    expect(code).toBe(78);
    expect(stdout).toContain(`${bad}:2:3: mcpServer`);
    expect(await json(["config", "check", "--config", bad])).toMatchObject({ ok: false, errors: [{ line: 2, path: "mcpServer" }] });
    for (const verb of [
      ["config", "show"],
      ["serve", ...missing],
    ])
      expect((await run([...verb, "--config", bad])).code).toBe(78);
  });

  test("show prints it with defaults, secrets masked; --origin says where from", async () => {
    const good = file("good.jsonc", { listen: "127.0.0.1:1", mcpServers: { a: { command: "a", env: { API_KEY: "very-secret-1" } } } });
    const { stdout } = await run(["config", "show", "--config", good, "--origin"]);
    expect(stdout).not.toContain("very-secret-1");
    expect(stdout).toMatch(/^listen\.port +1 .*good\.jsonc:1$/m);
    expect(stdout).toMatch(/^bridge\.naming +"prefixed" +default$/m);
    expect(await json(["config", "show", "--config", good])).toMatchObject({ file: good, config: { bridge: { naming: "prefixed" } } });
  });

  test("show --origin says of a default server that it was seeded, and masks what is secret in its address", async () => {
    const seeding = file("seeding.jsonc", { bridge: { defaultServers: { docs: "https://ann:very-secret-2@docs.example/mcp" } } });
    const { stdout } = await run(["config", "show", "--config", seeding, "--origin"]);
    expect(stdout).toMatch(/^mcpServers\.docs\.url .* seeded by .*seeding\.jsonc:1$/m);
    expect(stdout).toMatch(/^mcpServers\.docs\.trusted +false +default$/m);
    expect(stdout).not.toContain("very-secret-2");
    expect(await json(["config", "show", "--config", seeding, "--origin"])).toMatchObject({
      origins: { "mcpServers.docs.url": { file: seeding, seeded: true } },
    });
  });

  test("schema prints a JSON Schema", async () => {
    const { stdout } = await run(["config", "schema"]);
    expect(JSON.parse(stdout)).toMatchObject({ type: "object", properties: { mcpServers: {} } });
  });
});

test("doctor names what needs attention and ends 1", async () => {
  const folder = join(root, "open");
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "starting"), JSON.stringify({ address: "server/mail", attempts: 3 }));
  const config = file("doctor.jsonc", {
    mcpServers: {
      gone: { command: "no-such-program-anywhere" },
      unset: { url: "https://example.com/mcp", headers: { Authorization: `Bearer \${env:NOT_SET_ANYWHERE}` } },
      short: { command: process.execPath, env: { API_TOKEN: "abc", OTHER_TOKEN: "long-enough-for-1" } },
    },
    llm: {
      low: { baseUrl: "https://models.example/v1", model: "small", apiKey: `\${env:NO_KEY_ANYWHERE}` },
      high: { baseUrl: "https://models.example/v1", model: "large-one" },
    },
  });
  const { code, stdout } = await run(["doctor", "--config", config, "--data", folder]);
  expect(code).toBe(1);
  for (const words of [
    "no-such-program-anywhere",
    "NOT_SET_ANYWHERE",
    "NO_KEY_ANYWHERE",
    "the model large-one is asked",
    "API_TOKEN is named like a secret",
    "looked for:",
    "OTHER_TOKEN",
    `chmod go= "${folder}"`,
    "server/mail",
  ])
    expect(stdout).toContain(words);
  expect(stdout).not.toContain("long-enough-for-1");
  const view = (await json(["doctor", "--config", config, "--data", folder])) as { ok: boolean; checks: { name: string; state: string }[] };
  expect(view.ok).toBe(false);
  expect(view.checks.filter(({ state }) => state === "attention").map(({ name }) => name)).toEqual([
    "permissions",
    "starts",
    "server gone",
    "server unset",
    "llm low",
  ]);
});

test("version, and a warning when the environment loads code into the runtime", async () => {
  expect(await json(["version"])).toMatchObject({ name: "toolcrib", bun: Bun.version });
  const { stdout, stderr } = await run(["version"], { env: { BUN_OPTIONS: "--smol" } });
  expect(stdout).toStartWith("toolcrib ");
  expect(stderr).toContain("BUN_OPTIONS is set");
});
