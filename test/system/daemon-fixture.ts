/** The daemon from its sources as a child process on a temporary folder: started, asked, stopped and killed by tests. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const REPOSITORY = join(import.meta.dir, "..", "..");
export const PROGRAM = [process.execPath, join(REPOSITORY, "src", "main.ts")];
export const FIXTURE_SERVER = join(REPOSITORY, "test", "fixtures", "servers", "fixture.ts");

export interface Place {
  readonly root: string;
  readonly data: string;
  readonly config: string;
  /** Replaces the configuration file. */
  configure(config: unknown): void;
  [Symbol.dispose](): void;
}

/** A temporary folder with a configuration. `data` may lie elsewhere. */
export function makePlace(config: unknown = {}, data?: string): Place {
  const root = mkdtempSync(join(tmpdir(), "toolcrib-daemon-"));
  const file = join(root, "toolcrib.jsonc");
  const configure = (next: unknown) => writeFileSync(file, typeof next === "string" ? next : JSON.stringify(next));
  configure(config);
  return {
    root,
    data: data ?? join(root, "data"),
    config: file,
    configure,
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** An entry for the all-round fixture server. */
export const fixtureServer = (env: Readonly<Record<string, string>> = {}) => ({ command: process.execPath, args: [FIXTURE_SERVER], env });

export interface Daemon {
  readonly pid: number;
  /** The address; rejects with what it said when it ends before it serves. */
  readonly url: Promise<string>;
  /** Its exit code; 128 + the signal's number when it was killed. */
  readonly ended: Promise<number>;
  readonly stderr: () => string;
  /** SIGTERM, and waits for its end. */
  stop(): Promise<number>;
  /** SIGKILL, and waits for its end. */
  kill(): Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}

const LISTENING = /(?:toolcrib listening|debug answer) on (http:\S+)/;

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly listen?: string;
  /** Put in front of the command, e.g. `setpriv …`. */
  readonly under?: readonly string[];
}

export function startDaemon({ root, data, config }: Place, { env = {}, listen = "127.0.0.1:0", under = [] }: StartOptions = {}): Daemon {
  const child = Bun.spawn([...under, ...PROGRAM, "serve", "--config", config, "--data", data, "--listen", listen], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  const { promise: url, resolve, reject } = Promise.withResolvers<string>();
  url.catch(() => undefined); // whoever wants it sees it
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      stderr += decoder.decode(chunk, { stream: true });
      const found = LISTENING.exec(stderr)?.[1];
      if (found !== undefined) resolve(found);
    }
    reject(new Error(`the daemon ended: ${stderr}`));
  };
  const reading = read().catch(reject);
  const ended = Promise.all([child.exited, reading]).then(([code]) => code);
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return {
    pid: child.pid,
    url,
    ended,
    stderr: () => stderr,
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
    [Symbol.asyncDispose]: async () => void (await end("SIGKILL")),
  };
}

/** Polls until the condition holds and returns what it returned; throws after `ms`. */
export async function until<T>(what: string, condition: () => T | Promise<T>, ms = 20_000): Promise<NonNullable<T>> {
  for (const end = performance.now() + ms; performance.now() < end; await Bun.sleep(20)) {
    const value = await condition();
    if (value) return value;
  }
  throw new Error(`${what}: not within ${ms} ms`);
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  // What stands in it is for the test to know.
  readonly json: Record<string, unknown>;
}

/** One request; the body as it is when it is a string. */
export async function send(url: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
  const response = await fetch(`${url}${path}`, { headers, ...(text !== undefined && { method: "POST", body: text }) });
  return answerOf(response.status, await response.text());
}

function answerOf(status: number, text: string): Answer {
  try {
    return { status, text, json: JSON.parse(text) as Record<string, unknown> };
  } catch {
    return { status, text, json: {} };
  }
}

/** A call through REST. */
export const call = (
  url: string,
  tool: string,
  args: Readonly<Record<string, unknown>> = {},
  more: Readonly<Record<string, unknown>> = {},
) => send(url, `/v1/tools/${encodeURIComponent(tool)}/call`, { arguments: args, ...more });

/** Calls until the server behind it is connected. */
export const whenServed = (url: string, tool: string, args: Readonly<Record<string, unknown>> = {}) =>
  until(`${tool} is served`, async () => {
    const answer = await call(url, tool, args);
    return answer.status === 200 ? answer : undefined;
  });

/** The headers of the operator that every installation has. */
export const asOperator = ({ data }: Place) => ({
  authorization: `Bearer ${readFileSync(join(data, "keys", "operator.token"), "utf8").trim()}`,
});

/** Runs another verb on the same folder. */
export async function verb(place: Place, ...args: string[]): Promise<{ readonly code: number; readonly output: string }> {
  const child = Bun.spawn([...PROGRAM, ...args, "--data", place.data], { cwd: place.root, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  return { code, output: stdout + stderr };
}

/** Whether a process is there; one that only waits to be collected is gone. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const mount = (...args: string[]): boolean => Bun.spawnSync(["mount", ...args], { stderr: "ignore" }).success;

/** A file system of its own on a folder, which is made. */
export function mountTmpfs(folder: string, options: string) {
  mkdirSync(folder, { recursive: true });
  if (!mount("-t", "tmpfs", "-o", options, "tmpfs", folder)) throw new Error(`nothing could be mounted on ${folder}`);
  return { [Symbol.dispose]: () => void Bun.spawnSync(["umount", "--lazy", folder]) };
}

/** Whether we may mount: as root, outside of most containers. */
export const canMount = ((): boolean => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-mount-"));
  try {
    using _ = mountTmpfs(folder, "size=1m");
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
})();
