/** Pointing clients here: each gets its own form, and what is started by it speaks MCP. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { CLIENTS, type ClientName, type Gateway, snippetFor } from "../../src/cli/connect-snippets.ts";
import { importFile } from "../../src/import/import-file.ts";
import { clear, type Place, place, run, start } from "./support.ts";

/** A file of each client, by which the importer knows it. */
const FILES: Readonly<Record<ClientName, string>> = {
  claude: "claude_desktop_config.json",
  "claude-code": ".mcp.json",
  vscode: ".vscode/mcp.json",
  cursor: ".cursor/mcp.json",
  codex: ".codex/config.toml",
  gemini: ".gemini/settings.json",
  zed: "zed/settings.json",
};
/** As our own importer reads it: in the client's dialect, with nothing in it that it does not know. */
function readBack(client: ClientName, snippet: string) {
  const { dialect, servers } = importFile(FILES[client], new TextEncoder().encode(snippet));
  const [server] = servers;
  if (server === undefined || servers.length !== 1) throw new Error(`one server was expected: ${snippet}`);
  expect([dialect, server.name, server.unknown]).toEqual([client === "claude" ? "claude-desktop" : client, "toolcrib", []]);
  return server.entry;
}
const snippet = (client: ClientName, gateway: Gateway) => {
  const found = snippetFor(client, gateway);
  if (found === undefined) throw new Error(`${client} has no such form`);
  return { ...found, entry: readBack(client, found.snippet) };
};

describe.each(CLIENTS.map((client) => [client]))("%s", (client) => {
  test("gets a program to start, and is told where it goes", () => {
    const { entry, file, notes } = snippet(client, { kind: "stdio", command: 'C:\\a "b"', args: ["stdio", "--data", "/d/ü"] });
    expect(entry).toMatchObject({ command: 'C:\\a "b"', args: ["stdio", "--data", "/d/ü"] });
    expect(file).toContain(FILES[client].split("/").at(-1) ?? "");
    expect(notes).toEqual([]);
  });

  test("gets an address where its file knows any, and names a token without holding it", () => {
    const url = "http://127.0.0.1:7555/mcp";
    if (client === "claude") return expect(snippetFor(client, { kind: "http", url, needsToken: true })).toBeUndefined();
    const open = snippet(client, { kind: "http", url, needsToken: false, session: "desk" });
    expect(open.entry).toMatchObject({ url, headers: { "Toolcrib-Session": "desk" } });
    expect([open.snippet.includes("Authorization"), open.notes]).toEqual([false, []]);
    const closed = snippet(client, { kind: "http", url, needsToken: true });
    const { Authorization } = closed.entry["headers"] as Record<string, string>;
    expect(Authorization).toMatch(/^Bearer (?:\$\{(?:env:TOOLCRIB_TOKEN|secret:toolcrib-token)\}|TOKEN)$/);
    expect(closed.notes.join()).toContain("token");
  });
});

describe("on the command line", () => {
  let at: Place;
  beforeEach(() => {
    at = place();
  });
  afterEach(() => clear(at));

  test("what a client starts speaks MCP", async () => {
    const { stdout, stderr } = await run(["connect", "claude", "--config", at.config, "--data", at.data, "--session", "desk"]);
    expect(stderr).toContain("claude_desktop_config.json");
    const { command, args } = readBack("claude", stdout) as { command: string; args: string[] };
    expect([command, ...args.slice(1)]).toEqual([process.execPath, "stdio", "--config", at.config, "--data", at.data, "--session", "desk"]);
    const child = start(args.slice(1));
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
    const { value } = await child.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toContain('"serverInfo"');
    child.stdin.end();
    await child.exited;
  });

  test("the address is the one of the configuration", async () => {
    const agents = [{ name: "ada", tokenHash: `sha256:${"0".repeat(64)}` }];
    writeFileSync(at.config, JSON.stringify({ listen: "0.0.0.0:7555", agents }));
    const { stdout, stderr } = await run(["connect", "codex", "--http", "--config", at.config]);
    expect(stdout).toBe('[mcp_servers.toolcrib]\nurl = "http://127.0.0.1:7555/mcp"\nbearer_token_env_var = "TOOLCRIB_TOKEN"\n');
    expect(stderr).toContain("TOOLCRIB_TOKEN");
    const desktop = await run(["connect", "claude", "--http", "--config", at.config]);
    expect({ code: desktop.code, stdout: desktop.stdout }).toEqual({ code: 2, stdout: "" });
    expect(desktop.stderr).toContain("leave out --http");
    writeFileSync(at.config, JSON.stringify({ listen: "127.0.0.1:0" }));
    expect((await run(["connect", "zed", "--http", "--config", at.config])).code).toBe(78);
  });

  test("an unknown client is a usage error that names those that are known", async () => {
    const { code, stderr } = await run(["connect", "emacs"]);
    expect(code).toBe(2);
    for (const client of CLIENTS) expect(stderr).toContain(client);
  });
});
