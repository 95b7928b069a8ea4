/** The program from source, run as a user runs it, on folders of its own. */
import { setDefaultTimeout } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

setDefaultTimeout(60_000); // each verb is a process of its own, on a machine that may be busy

const MAIN = resolve("src/main.ts");
export const FIXTURE = resolve("test/fixtures/servers/fixture.ts");

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}
export interface Place {
  /** Holds everything below. */
  readonly root: string;
  readonly data: string;
  readonly config: string;
}

/** Two downstream servers; each writes its process id into `starts` when it starts. */
export function place(): Place {
  const root = mkdtempSync(join(tmpdir(), "toolcrib-cli-"));
  const config = join(root, "toolcrib.jsonc");
  const server = (capability: string) => ({
    command: process.execPath,
    args: [FIXTURE, capability], // of two entries for one server one would be left out
    env: { FIXTURE_STARTS_FILE: join(root, "starts") },
    tools: { echo: { capability }, count: { capability } },
  });
  writeFileSync(config, JSON.stringify({ listen: "127.0.0.1:0", mcpServers: { one: server("read"), two: server("mutating") } }));
  return { root, data: join(root, "data"), config };
}

const environment = (more: Readonly<Record<string, string>> = {}) => {
  const { TOOLCRIB_DATA: _d, TOOLCRIB_CONFIG: _c, NO_COLOR: _n, ...rest } = process.env;
  return { ...rest, XDG_CONFIG_HOME: "/nonexistent", ...more };
};

/** Starts a verb; its streams are the caller's. */
export function start(args: readonly string[], cwd = tmpdir(), env: Readonly<Record<string, string>> = {}) {
  return Bun.spawn([process.execPath, MAIN, ...args], { cwd, env: environment(env), stdin: "pipe", stdout: "pipe", stderr: "pipe" });
}

/** Runs a verb to its end. */
export async function run(
  args: readonly string[],
  { stdin = "", env = {}, cwd = tmpdir() }: { stdin?: string; env?: Record<string, string>; cwd?: string } = {},
): Promise<Ended> {
  const child = start(args, cwd, env);
  child.stdin.write(stdin);
  await child.stdin.end();
  const [stdout, stderr, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  return { code, stdout, stderr };
}

/** A daemon in the foreground; resolves when it is ready. */
export async function serve({ data, config }: Place) {
  const child = start(["serve", "--config", config, "--data", data]);
  const reader = child.stderr.getReader();
  let said = "";
  while (!said.includes("listening on")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the daemon ended: ${said}`);
    said += new TextDecoder().decode(value);
  }
  void (async () => {
    while (!(await reader.read()).done);
  })();
  return child;
}

/** Processes whose command line holds both words. */
export function processes(...words: readonly string[]): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return words.every((word) => line.includes(word));
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Ends what was started in the background on this folder, and removes it. */
export async function clear({ root, data }: Place): Promise<void> {
  const running = () => processes("serve", data);
  for (const pid of running()) process.kill(pid, "SIGTERM");
  await until(() => running().length === 0);
  rmSync(root, { recursive: true, force: true });
}

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await Bun.sleep(20);
}

/** `run`, and its output as JSON. */
export async function json(args: readonly string[]): Promise<unknown> {
  const { stdout, stderr } = await run([...args, "--json"]);
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`no JSON: ${stdout}${stderr}`);
  }
}

export const lines = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** Makes a call whose server ends before it answers; resolves with its id when that server is back. */
export async function callInDoubt({ data }: Place): Promise<string> {
  const answer = (await json(["call", "two__crash", "{}", "--session", "desk", "--data", data])) as { error: { callId: string } };
  await until(async () => (await run(["call", "two__echo", '{"text":"again"}', "--data", data])).code === 0);
  return answer.error.callId;
}
