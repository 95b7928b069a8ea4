/** Other people's MCP programs, as the tests of this folder start them; everything they do stays in temporary folders. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PEERS = join(import.meta.dir, "node_modules");
const entry = (path: string) => join(PEERS, path);

export const EVERYTHING = entry("@modelcontextprotocol/server-everything/dist/index.js");
export const FILESYSTEM = entry("@modelcontextprotocol/server-filesystem/dist/index.js");
export const MEMORY = entry("@modelcontextprotocol/server-memory/dist/index.js");
export const THINKING = entry("@modelcontextprotocol/server-sequential-thinking/dist/index.js");
export const DBHUB = entry("@bytebase/dbhub/dist/index.js");
export const PROXY = entry("mcp-proxy/dist/bin/mcp-proxy.mjs");
export const INSPECTOR = entry("@modelcontextprotocol/inspector/clients/launcher/build/index.js");

/** Of a test and of a hook: other people's programs take their time on a busy machine. */
export const LIMIT_MS = 60_000;

/** For `describe.skipIf`. */
export const MISSING = [EVERYTHING, FILESYSTEM, MEMORY, THINKING, DBHUB, PROXY, INSPECTOR].some((path) => !existsSync(path));

/** The name of a group, with the reason when it is skipped. */
export const named = (name: string): string => (MISSING ? `${name} (skipped: test/peers is not installed)` : name);

/** An entry of `mcpServers` for a script that runs under our own runtime. */
export const stdio = (script: string, args: readonly string[] = [], more: Readonly<Record<string, unknown>> = {}) => ({
  command: process.execPath,
  args: [script, ...args],
  ...more,
});

/** A folder of its own; removed with `using`. */
export function temporaryFolder(): { readonly path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), "toolcrib-peers-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Polls until `probe` gives something; the test's own time limit is the deadline. */
export async function until<T>(probe: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    await Bun.sleep(10);
  }
}

export interface HttpPeer {
  readonly origin: string;
  /** Kills it and starts another one on the same port, which knows nothing of the first. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a peer on a port that was free a moment ago; it answers when this resolves. `PORT` is in its environment. */
export async function startHttpPeer(argumentsFor: (port: number) => readonly string[], cwd: string): Promise<HttpPeer> {
  const probe = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const port = probe.port ?? 0;
  await probe.stop(true);
  const origin = `http://127.0.0.1:${port}`;
  const launch = () => launchPeer(argumentsFor(port), { cwd, origin, port });
  let kill = await launch();
  return {
    origin,
    async restart() {
      await kill();
      kill = await launch();
    },
    stop: () => kill(),
  };
}

async function launchPeer(
  command: readonly string[],
  { cwd, origin, port }: { readonly cwd: string; readonly origin: string; readonly port: number },
): Promise<() => Promise<void>> {
  const child = Bun.spawn([process.execPath, ...command], {
    cwd,
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
    detached: true, // a group of its own: some start servers of their own
  });
  let words = "";
  const read = async () => {
    for await (const chunk of child.stderr) words = (words + new TextDecoder().decode(chunk)).slice(-2000);
  };
  void read().catch(() => undefined);
  await until(() => {
    if (child.exitCode !== null) throw new Error(`the peer ended with code ${child.exitCode}: ${words}`);
    const answered = (response: Response) => response.body?.cancel().then(() => true) ?? true;
    return fetch(origin, { signal: AbortSignal.timeout(1000) }).then(answered, () => false);
  });
  return async () => {
    process.kill(-child.pid, "SIGKILL");
    await child.exited;
  };
}
