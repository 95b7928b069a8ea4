/** Secrets as an operator keeps them: stored, listed, rotated and removed, taken over by the daemon that runs, shown by nobody. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clear, FIXTURE, json, lines, type Place, place, run, serve, until } from "./support.ts";

let at: Place;
beforeEach(() => {
  at = place();
});
afterEach(() => clear(at));

const secret = (...args: readonly string[]) => run(["secret", ...args, "--data", at.data]);
const put = (verb: string, name: string, value: string) => run(["secret", verb, name, "--data", at.data], { stdin: value });
const configure = (mcpServers: object) => writeFileSync(at.config, JSON.stringify({ listen: "127.0.0.1:0", mcpServers }));
const server = (env: Readonly<Record<string, string>>) => ({ command: process.execPath, args: [FIXTURE], env });

describe("without a daemon", () => {
  test("a value is stored, listed by name only, rotated and removed", async () => {
    expect(await put("set", "GITHUB_TOKEN", "first-value-of-it\n")).toMatchObject({
      code: 0,
      stdout: `GITHUB_TOKEN is stored: write \${secret:GITHUB_TOKEN} where it is needed; no toolcrib runs now: the next start uses it\n`,
    });
    expect((await put("rotate", "GITHUB_TOKEN", "second-value-of-it")).stdout).toStartWith("GITHUB_TOKEN is replaced;");
    const { stdout } = await secret("list");
    expect(stdout).toContain("GITHUB_TOKEN");
    expect(stdout).not.toContain("value-of-it");
    expect(await json(["secret", "list", "--data", at.data])).toEqual({
      secrets: [{ name: "GITHUB_TOKEN", updatedAt: expect.any(Number), readable: true }],
    });
    expect((await secret("remove", "GITHUB_TOKEN")).code).toBe(0);
    expect(await json(["secret", "list", "--data", at.data])).toEqual({ secrets: [] });
  });

  test.each([
    [["rotate", "NONE"], "x", 1, 'there is no secret NONE in .*"toolcrib secret set NONE"'],
    [["remove", "NONE"], "", 1, "there is no secret NONE"],
    [["set", "bad name"], "x", 2, "a secret's name is"],
    [["set", "A", "the-value-itself"], "", 2, "never taken from the command line"],
    [["set", "A"], "\n", 65, "the value is empty"],
    [["set", "A"], "a\0b", 65, "NUL"],
    [["set", "A"], "x".repeat(65 * 1024), 65, "larger than 64 KiB"],
  ])("%j ends with a sentence and stores nothing", async (args, stdin, code, words) => {
    const ended = await run(["secret", ...args, "--data", at.data], { stdin });
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: "" });
    expect(ended.stderr).toMatch(new RegExp(words));
    expect(ended.stderr).not.toContain("the-value-itself");
    expect(existsSync(join(at.data, "sealed.db"))).toBe(false);
  });

  test("a value that cannot be concealed is stored with a warning", async () => {
    const { code, stderr } = await put("set", "PIN", "1234");
    expect(code).toBe(0);
    expect(stderr).toContain("not concealed");
  });

  test("listing what is not there makes no folder", async () => {
    expect((await secret("list")).code).toBe(0);
    expect(existsSync(at.data)).toBe(false);
  });

  test("config check names secrets that stand in the file as text, by their place", async () => {
    configure({ one: server({ A_TOKEN: "a-value-that-is-secret", MAX_TOKENS: "512", MODE: "plain" }) });
    const { code, stdout } = await run(["config", "check", "--config", at.config, "--data", at.data]);
    expect(code).toBe(0);
    expect(stdout.match(/holds a secret as text/g)).toHaveLength(1);
    expect(stdout).toContain("mcpServers.one.env.A_TOKEN: holds a secret as text");
    expect(stdout).not.toContain("that-is-secret");
  });

  test("config check and doctor name the secrets that are missing, and find those that are there", async () => {
    configure({ one: server({ A_TOKEN: "\u0024{secret:A_TOKEN}", B_TOKEN: "\u0024{secret:B_TOKEN}" }) });
    await put("set", "A_TOKEN", "a-value-that-is-secret");
    const check = await run(["config", "check", "--config", at.config, "--data", at.data]);
    expect(check.code).toBe(0);
    expect(check.stdout).toContain("the secret B_TOKEN is not in the secret store");
    expect(check.stdout).toContain("toolcrib secret set B_TOKEN");
    expect(check.stdout).not.toContain("A_TOKEN is not");
    await put("set", "B_TOKEN", "another-that-is-secret");
    const doctor = await run(["doctor", "--config", at.config, "--data", at.data]);
    expect(doctor.stdout).toContain("looked for: A_TOKEN, B_TOKEN");
    expect(doctor.stdout).not.toContain("that-is-secret");
    writeFileSync(join(at.data, "keys", "installation.key"), new Uint8Array(32));
    const damaged = await run(["doctor", "--config", at.config, "--data", at.data]);
    expect(damaged.stdout).toContain("the secret A_TOKEN in");
    expect(damaged.stdout).toContain("cannot be opened");
  });
});

test("a running daemon takes over what changes, connects only the servers that use it anew, and records names without values", async () => {
  const starts = (name: string) => join(at.root, name);
  const count = (name: string) => (existsSync(starts(name)) ? lines(readFileSync(starts(name), "utf8")).length : 0);
  await put("set", "EARLIER", starts("earlier"));
  configure({
    user: server({ FIXTURE_STARTS_FILE: "\u0024{secret:STARTS}" }),
    other: server({ FIXTURE_STARTS_FILE: "\u0024{secret:EARLIER}" }),
  });
  await using _ = { [Symbol.asyncDispose]: async () => daemon.kill() };
  const daemon = await serve(at);
  const state = async (name: string) => (await run(["call", `${name}__echo`, '{"text":"x"}', "--data", at.data])).code;
  await until(async () => (await state("other")) === 0);
  expect([await state("user"), count("earlier")]).toEqual([1, 1]);

  expect((await put("set", "STARTS", starts("first"))).stdout).toContain("the running toolcrib uses it");
  await until(async () => (await state("user")) === 0);
  expect((await put("rotate", "STARTS", starts("second"))).stdout).toContain("the running toolcrib uses it");
  await until(() => count("second") === 1);
  expect([count("first"), count("second"), count("earlier")]).toEqual([1, 1, 1]);

  expect((await secret("remove", "STARTS")).code).toBe(0);
  expect(await state("user")).toBe(1);
  const events = lines((await run(["events", "--stream", "system", "--json", "--data", at.data])).stdout)
    .filter(({ type }) => String(type).startsWith("secret."))
    .map(({ type, data }) => [type, data]);
  const by = `operator:cli:${process.getuid?.()}`;
  const updatedAt = expect.any(Number);
  expect(events).toEqual([
    ["secret.set", { name: "EARLIER", updatedAt, replaced: false, by: "start" }],
    ["secret.set", { name: "STARTS", updatedAt, replaced: false, by }],
    ["secret.set", { name: "STARTS", updatedAt, replaced: true, by }],
    ["secret.removed", { name: "STARTS", by }],
  ]);
  expect(readdirSync(at.data)).toContain("sealed.db");
});
