/** Importing other clients' files on the command line: what is printed, what is written, what is stored, and how it ends. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./support.ts";

const ref = (body: string): string => `\u0024{${body}}`;
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "toolcrib-import-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const path = (name: string) => join(root, name);
const file = (name: string, content: unknown): string => {
  writeFileSync(path(name), typeof content === "string" ? content : JSON.stringify(content));
  return path(name);
};
const importing = (...args: readonly string[]) => run(["import", ...args]);
const checked = async (config: string) => run(["config", "check", "--config", config, "--data", path("data")]);

test("prints a block that can be used as it is, and tells about it on stderr", async () => {
  const { code, stdout, stderr } = await importing(
    file("client.json", { mcpServers: { a: { command: "true", autoApprove: ["x"], env: { A: ref("B") } } } }),
    file("config.toml", '[mcp_servers.b]\nurl = "https://b.example/mcp"\n'),
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    mcpServers: { a: { command: "true", env: { A: ref("env:B") } }, b: { url: "https://b.example/mcp" } },
  });
  expect(stderr).toContain("not carried over: autoApprove");
  expect((await checked(file("toolcrib.jsonc", stdout))).code).toBe(0);
});

test("--dry-run --json says what becomes of every field, in this form", async () => {
  const source = file(".mcp.json", {
    mcpServers: { "a b": { command: "true", timeout: 5000, trust: true, note: 1, env: { API_KEY: "abcdefghij" } } },
  });
  const { code, stdout, stderr } = await importing(source, "--dry-run", "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual({
    files: [
      {
        path: source,
        dialect: "claude-code",
        servers: [
          {
            name: "a-b",
            originalName: "a b",
            entry: { command: "true", toolTimeoutMs: 5000, env: { API_KEY: "abcdefghij" } },
            mapped: { timeout: "toolTimeoutMs" },
            notCarried: [{ field: "trust", reason: "approvals are not carried over: who may do what is decided here anew" }],
            unknown: [{ field: "note", value: 1 }],
            secrets: [{ field: "env.API_KEY" }],
            warnings: ["timeout: read as milliseconds"],
          },
        ],
        warnings: [],
      },
    ],
  });
});

test("for people, no value of a file is shown", async () => {
  const { stdout } = await importing(
    file("mcp.json", { mcpServers: { a: { command: "true", env: { API_KEY: "abcdefghij" }, note: "klmnopqrst" } } }),
    "--dry-run",
  );
  expect(stdout).toContain("holds a secret as text: env.API_KEY");
  expect(stdout).toContain("unknown, not carried over: note");
  expect(stdout).not.toMatch(/abcdefghij|klmnopqrst/);
});

test("a file that cannot be read ends 65 with a sentence, and does not stop the others", async () => {
  const bad = [file("none.json", { foo: 1 }), file("broken.json", "{"), path("missing.json")];
  const { code, stdout, stderr } = await importing(...bad, file("mcp.json", { mcpServers: { a: { command: "true" } } }));
  expect(code).toBe(65);
  expect(JSON.parse(stdout)).toEqual({ mcpServers: { a: { command: "true" } } });
  for (const words of ["none.json is of no known dialect", "broken.json:1:2", "there is no file"]) expect(stderr).toContain(words);
  const view = await importing(...bad, "--dry-run", "--json");
  expect(view.code).toBe(65);
  const { files } = JSON.parse(view.stdout) as { files: { path: string; error: string; servers: unknown[] }[] };
  expect(files.map(({ path, servers }) => [path, servers])).toEqual(bad.map((path) => [path, []]));
  for (const { error } of files) expect(error).not.toBe("");
});

describe("--out", () => {
  test("writes a new file that only its owner can read, and never over one that is there", async () => {
    const source = file("mcp.json", { mcpServers: { a: { command: "true" } } });
    const { code, stdout } = await importing(source, "--out", path("new.jsonc"));
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(JSON.parse(readFileSync(path("new.jsonc"), "utf8"))).toEqual({ mcpServers: { a: { command: "true" } } });
    expect((statSync(path("new.jsonc")).mode & 0o777).toString(8)).toBe("600");
    const again = await importing(source, "--out", source, "--move-secrets", "--data", path("data"));
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("exists already");
    expect(existsSync(path("data"))).toBe(false);
  });

  test("is not written in a dry run", async () => {
    await importing(file("mcp.json", { mcpServers: { a: { command: "true" } } }), "--out", path("new.jsonc"), "--dry-run");
    expect(existsSync(path("new.jsonc"))).toBe(false);
  });
});

test("--move-secrets stores what stands as text and writes references, which the configuration then finds", async () => {
  const source = file("client.json", { mcpServers: { a: { command: "true", env: { API_KEY: "value-of-the-key" } } } });
  const data = ["--move-secrets", "--data", path("data")];
  const dry = await importing(source, ...data, "--dry-run", "--json");
  expect(dry.stdout).toContain('"movedTo": "API_KEY"');
  expect(existsSync(path("data"))).toBe(false);
  const { code, stdout, stderr } = await importing(source, ...data);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ mcpServers: { a: { command: "true", env: { API_KEY: ref("secret:API_KEY") } } } });
  expect(stderr).toContain("stored in the secret store: API_KEY");
  expect(stdout + stderr).not.toContain("value-of-the-key");
  const check = await checked(file("toolcrib.jsonc", stdout));
  expect(check.stdout).not.toContain("warning");
  expect((await run(["secret", "list", "--data", path("data")])).stdout).toContain("API_KEY");
});

test("nothing is run or looked up, whatever a file asks for", async () => {
  const touch = `touch ${path("ran")}`;
  const { stdout, stderr } = await run(
    [
      "import",
      file("mcp.json", {
        mcpServers: {
          a: { command: touch, args: [ref(`cmd: ${touch}`)], env: { A: ref("GIVEN") } },
          b: { url: "https://b.example", headersHelper: touch },
        },
      }),
    ],
    { env: { GIVEN: "value-of-a-variable" } },
  );
  expect(existsSync(path("ran"))).toBe(false);
  expect(stdout + stderr).not.toContain("value-of-a-variable");
  expect(JSON.parse(stdout)).toEqual({
    mcpServers: { a: { command: touch, disabled: true, env: { A: ref("env:GIVEN") } }, b: { url: "https://b.example" } },
  });
});
