/** Our client against servers that others wrote; skipped by name where `test/peers` is not installed. */
import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Progress, Target } from "../../../src/mcp/downstream/downstream.ts";
import { closeAll, http, open, textOf } from "./support.ts";

const PEERS = join(import.meta.dir, "../../peers/node_modules");
const EVERYTHING = join(PEERS, "@modelcontextprotocol/server-everything/dist/index.js");
const MEMORY = join(PEERS, "@modelcontextprotocol/server-memory/dist/index.js");
const FILESYSTEM = join(PEERS, "@modelcontextprotocol/server-filesystem/dist/index.js");
const DBHUB = join(PEERS, "@bytebase/dbhub/dist/index.js");
const LIMIT_MS = 30_000;

afterEach(closeAll);
const processes: Bun.Subprocess[] = [];
afterEach(async () => {
  for (const started of processes.splice(0)) {
    started.kill("SIGKILL");
    await started.exited;
  }
});

function stdio(entry: string, args: string[] = [], env: Record<string, string> = {}): Target {
  return { kind: "stdio", command: process.execPath, args: [entry, ...args], env };
}

/** Starts an HTTP peer on a port that was free a moment ago; the address answers when this resolves. */
async function listening(entry: string, args: (port: number) => string[], path: string): Promise<string> {
  const probe = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const port = probe.port ?? 0;
  await probe.stop(true);
  const env = { ...process.env, PORT: String(port) };
  processes.push(Bun.spawn([process.execPath, entry, ...args(port)], { env, stdin: "ignore", stdout: "ignore", stderr: "ignore" }));
  const url = `http://127.0.0.1:${port}${path}`;
  for (;;) {
    const up = await fetch(url, { signal: AbortSignal.timeout(1000) }).then(
      (response) => response.body?.cancel().then(() => true) ?? true,
      () => false,
    );
    if (up) return url;
    await Bun.sleep(20);
  }
}

const named = (name: string) => (existsSync(EVERYTHING) ? name : `${name} (test/peers is not installed)`);

describe.skipIf(!existsSync(EVERYTHING))(named("server-everything"), () => {
  test.each(["stdio", "streamable-http", "sse"])(
    "over %s",
    async (transport) => {
      const target =
        transport === "stdio"
          ? stdio(EVERYTHING, ["stdio"])
          : transport === "sse"
            ? http(await listening(EVERYTHING, () => ["sse"], "/sse"))
            : http(await listening(EVERYTHING, () => ["streamableHttp"], "/mcp"));
      const { downstream } = await open(target);
      expect(downstream.introduction).toMatchObject({ era: "legacy", transport, protocolVersion: "2025-11-25" });
      expect((await downstream.listTools()).map(({ name }) => name)).toContain("echo");
      expect(textOf(await downstream.call({ tool: "echo", arguments: { message: "hé" } }))).toBe("Echo: hé");
      const seen: Progress[] = [];
      const long = { tool: "trigger-long-running-operation", arguments: { duration: 0.2, steps: 4 } };
      await downstream.call({ ...long, onProgress: (progress) => seen.push(progress) });
      expect(seen.map(({ progress }) => progress)).toEqual([1, 2, 3, 4]);
      expect(await downstream.call({ tool: "no-such-tool", arguments: {} })).toMatchObject({ kind: "result", result: { isError: true } });
    },
    LIMIT_MS,
  );
});

describe.skipIf(!existsSync(MEMORY))(named("server-memory"), () => {
  test(
    "keeps what it was told over a restart",
    async () => {
      const env = { MEMORY_FILE_PATH: join(mkdtempSync(join(tmpdir(), "memory-")), "memory.jsonl") };
      const first = await open(stdio(MEMORY, [], env));
      const entities = [{ name: "Ada", entityType: "person", observations: ["wrote notes"] }];
      expect(await first.downstream.call({ tool: "create_entities", arguments: { entities } })).toMatchObject({ kind: "result" });
      await first.downstream.close();
      const second = await open(stdio(MEMORY, [], env), { eraHint: { era: first.downstream.introduction.era } });
      expect(textOf(await second.downstream.call({ tool: "read_graph", arguments: {} }))).toContain("Ada");
    },
    LIMIT_MS,
  );
});

describe.skipIf(!existsSync(FILESYSTEM))(named("server-filesystem"), () => {
  test(
    "reads a file in its folder",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "files-"));
      await Bun.write(join(folder, "a.txt"), "content");
      const { downstream } = await open(stdio(FILESYSTEM, [folder]));
      expect(textOf(await downstream.call({ tool: "read_text_file", arguments: { path: join(folder, "a.txt") } }))).toBe("content");
    },
    LIMIT_MS,
  );
});

describe.skipIf(!existsSync(DBHUB))(named("dbhub, a modern server"), () => {
  test.each(["stdio", "http"])(
    "over %s",
    async (transport) => {
      const target =
        transport === "stdio"
          ? stdio(DBHUB, ["--transport", "stdio", "--demo"])
          : http(await listening(DBHUB, (port) => ["--transport", "http", "--port", String(port), "--demo"], "/mcp"));
      const { downstream } = await open(target);
      expect(downstream.introduction).toMatchObject({ era: "modern", protocolVersion: "2026-07-28" });
      expect((await downstream.listTools()).map(({ name }) => name)).toContain("execute_sql");
      expect(textOf(await downstream.call({ tool: "execute_sql", arguments: { sql: "select 40 + 2 as answer" } }))).toContain("42");
    },
    LIMIT_MS,
  );
});
