/** The guard `shell-command` as an operator writes it, through a daemon: a client of MCP and one of REST before a server that would run what it gets. */
import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { upToDateBinary } from "../../scripts/binary.ts";
import { callTool, callWhenOffered, runVerb, startGateway } from "../../scripts/gateway.ts";
import { asOperator, call, makePlace, REPOSITORY, send, startDaemon, until, verb, whenServed } from "./daemon-fixture.ts";

const LIMIT_MS = 60_000;
const SHELL_SERVER = join(REPOSITORY, "test", "fixtures", "servers", "shell-server.ts");
const OPTIONS = { args: ["command"], requireArgs: true, groups: { package_install: false } };
const REASON = '"command" is refused (destructive_ops): it has `rm` with -r or -f.';

const configOf = (executions: string, options: object = OPTIONS) => ({
  mcpServers: {
    shell: {
      command: process.execPath,
      args: [SHELL_SERVER, "--executions", executions],
      argGuards: [{ handler: "shell-command", options }],
    },
  },
});
const ranIn = (file: string): readonly { command: unknown }[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as { command: unknown })
    : [];
const folders: string[] = [];
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test(
  "what is refused never reaches the server, the agent hears why, and the log holds the verdict with its group; the rest runs",
  async () => {
    using place = makePlace();
    const executions = join(place.root, "executions");
    place.configure(configOf(executions));
    await using daemon = startDaemon(place);
    const url = await daemon.url;
    await whenServed(url, "shell__run", { command: "true" });

    const client = new Client({ name: "agent", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    closing.push(() => client.close());
    const overMcp = await client.callTool({ name: "shell__run", arguments: { command: "cd x && r''m -rf ." } });
    expect(overMcp.structuredContent).toMatchObject({ error: { code: "invalid_arguments", retryable: false, certainty: "not_applied" } });
    expect(JSON.stringify(overMcp.content)).toContain(JSON.stringify(REASON).slice(1, -1));

    const overRest = await call(url, "shell__run", { command: ["env", "A=1", "rm", "-rf", "."] });
    expect(overRest.status).toBe(400);
    expect(overRest.json["error"]).toMatchObject({ code: "invalid_arguments", message: expect.stringContaining(REASON) });
    for (const args of [{}, { command: null }, { command: "ls", Command: "sudo ls" }, { command: "echo 'open" }])
      expect((await call(url, "shell__run", args)).status).toBe(400);
    expect(ranIn(executions)).toEqual([{ command: "true" }]);

    const id = String((overRest.json["error"] as { callId?: unknown }).callId ?? overRest.json["callId"]);
    const seen = await send(url, `/debug/api/calls/${id}`, undefined, asOperator(place));
    expect(seen.text).toContain('"guard:shell-command:destructive_ops"');

    expect((await call(url, "shell__run", { command: "npm ci" })).status).toBe(200);
    expect((await client.callTool({ name: "shell__run", arguments: { command: ["echo", "; rm -rf ."] } })).isError ?? false).toBe(false);
    expect(ranIn(executions).map(({ command }) => command)).toEqual(["true", "npm ci", ["echo", "; rm -rf ."]]);

    place.configure(configOf(executions, { ...OPTIONS, groups: { package_instal: false } }));
    const isRefused = async () => (await call(url, "shell__run", { command: "ls" })).status !== 200 || undefined;
    await until("a group that is not known takes the server away", isRefused);
    expect((await verb(place, "config", "check", "--config", place.config)).output).toContain('the group "package_instal" is not known');
  },
  LIMIT_MS,
);

test(
  "the compiled program has the guard, too, and its schema names the groups",
  async () => {
    const binary = upToDateBinary();
    const cwd = mkdtempSync(join(tmpdir(), "toolcrib-shell-"));
    folders.push(cwd);
    const executions = join(cwd, "executions");
    const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: cwd };
    writeFileSync(join(cwd, "toolcrib.jsonc"), JSON.stringify(configOf(executions)));
    await using gateway = await startGateway({ command: [binary], args: ["--data", "data", "--listen", "127.0.0.1:0"], cwd, env });
    expect(await callWhenOffered(gateway.url, "shell__run", { command: "ls | xargs rm" })).toMatchObject({ status: 400 });
    expect(await callTool(gateway.url, "shell__run", { command: "ls | xargs wc -l" })).toMatchObject({ status: 200 });
    expect(ranIn(executions)).toEqual([{ command: "ls | xargs wc -l" }]);
    expect(await gateway.end("SIGTERM")).toBe(0);
    const { out } = await runVerb([binary, "config", "schema"], cwd, env);
    for (const word of ["shell-command", "destructive_ops", "env_dump"]) expect(out).toContain(word);
  },
  LIMIT_MS,
);
