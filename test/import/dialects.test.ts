/** Which client a file is of, where its servers stand, and what they are called here. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ServerName } from "../../src/config/server-schema.ts";
import { validName } from "../../src/import/names.ts";
import { imported, ref } from "./support.ts";

const program = { command: "x" };

describe("a file tells its client", () => {
  test.each([
    ["claude_desktop_config.json", "claude-desktop"],
    ["/home/ada/.config/Claude/claude_desktop_config.json", "claude-desktop"],
    [".mcp.json", "claude-code"],
    ["/home/ada/.claude.json", "claude-code"],
    ["project/.cursor/mcp.json", "cursor"],
    ["C:\\Users\\ada\\.cursor\\mcp.json", "cursor"],
    [".codeium/windsurf/mcp_config.json", "windsurf"],
    ["cline_mcp_settings.json", "cline"],
    [".roo/mcp.json", "roo"],
    [".gemini/settings.json", "gemini"],
    [".kiro/settings/mcp.json", "kiro"],
    [".copilot/mcp-config.json", "copilot"],
    [".config/mcphub/servers.json", "mcp-hub"],
    ["some/where/cursor/of/mine/servers.json", "mcp-servers"],
  ])("by its path: %s", (path, dialect) => {
    expect(imported({ mcpServers: { s: program } }, path).dialect).toBe(dialect);
  });

  test.each([
    [{ httpUrl: "https://a.example" }, "gemini"],
    [{ ...program, trust: true }, "gemini"],
    [{ serverUrl: "https://a.example" }, "windsurf"],
    [{ ...program, alwaysAllow: [] }, "roo"],
    [{ ...program, autoApprove: [] }, "cline"],
    [{ url: "https://a.example", headersHelper: "x" }, "claude-code"],
    [{ ...program, envFile: "x" }, "cursor"],
    [{ url: "https://a.example", argGuards: [] }, "rockbot"],
    [{ ...program, env: { A: ref("cmd: x") } }, "mcp-hub"],
    [program, "mcp-servers"],
  ])("by its fields: %j", (entry, dialect) => {
    expect(imported({ mcpServers: { s: entry } }).dialect).toBe(dialect);
  });

  test.each([
    [{ servers: { s: program } }, "vscode"],
    [{ mcp: { servers: { s: program } } }, "vscode"],
    [{ "mcp.servers": { s: program } }, "vscode"],
    [{ context_servers: { s: program } }, "zed"],
    [{ mcp_servers: { s: program } }, "codex"],
    [{ "amp.mcpServers": { s: program } }, "amp"],
    [{ mcp: { s: { type: "local", command: ["x"] } } }, "opencode"],
    [{ mcpServers: [{ name: "s", command: "x" }] }, "continue"],
    [{ McpServers: { s: program } }, "mcp-servers"],
    [{ projects: { "/p": { mcpServers: { s: program } } } }, "mcp-servers"],
  ])("by its root: %j", (content, dialect) => {
    const found = imported(content);
    expect([found.dialect, found.servers.map(({ name }) => name)]).toEqual([dialect, ["s"]]);
    expect(found.servers[0]?.entry).toMatchObject(program);
  });

  test.each([[{ foo: true }], [[]], ["text"], [{ mcpServers: "x" }], [{ mcp: { allowed: ["a"] } }]])("%j is of none", (content) => {
    const { dialect, servers, error } = imported(JSON.stringify(content));
    expect([dialect, servers, error]).toEqual(["unknown", [], expect.stringMatching(/^mcp\.json is of no known dialect: .*mcpServers/)]);
  });

  test("a file without servers is of its dialect, and says that there are none", () => {
    expect(imported({ mcpServers: {} })).toMatchObject({ servers: [], warnings: ["there are no servers in it"] });
  });
});

describe("names", () => {
  test.each([
    ["fine.name-1", "fine.name-1"],
    ["My Server", "My-Server"],
    ["a__b", "a_b"],
    ["_x", "x"],
    ["Zürich/é", "Zurich-e"],
    ["имя", "server"],
    ["", "server"],
    ["builtin", "builtin-server"],
    ["x".repeat(80), "x".repeat(64)],
  ])("%j becomes %j", (name, valid) => {
    const [server] = imported({ mcpServers: { [name]: program } }).servers;
    expect(server?.name).toBe(valid);
    expect(server?.originalName).toBe(name === valid ? undefined : name);
  });

  test("two of one name in a file get names of their own", () => {
    const { servers } = imported({ mcpServers: { "a b": program, "a-b": program, "A-B": program } });
    expect(servers.map(({ name }) => name)).toEqual(["a-b", "a-b-2", "A-B-3"]);
  });

  test("every name becomes a valid one, each once", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("a", "A", "_", "__", "a_", "builtin"))), (names) => {
        const taken = new Set<string>();
        const valid = names.map((name) => validName(name, taken));
        for (const name of valid) expect(ServerName.safeParse(name).success).toBe(true);
        expect(new Set(valid.map((name) => name.toLowerCase())).size).toBe(names.length);
      }),
    );
  });
});
