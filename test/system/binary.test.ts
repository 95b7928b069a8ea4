/** The compiled program in a folder of its own: what lies there changes nothing, and children learn nothing that is ours. */
import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { upToDateBinary } from "../../scripts/binary.ts";
import { callTool, callWhenOffered, runVerb, startGateway } from "../../scripts/gateway.ts";

const LIMIT_MS = 60_000;
const ENVIRONMENT_SERVER = join(import.meta.dir, "../fixtures/servers/environment-server.ts");
const binary = upToDateBinary();
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function emptyFolder(): { readonly cwd: string; readonly env: Record<string, string> } {
  const cwd = mkdtempSync(join(tmpdir(), "toolcrib-empty-"));
  folders.push(cwd);
  return { cwd, env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: cwd } };
}
const serveHere = ["--data", "data", "--listen", "127.0.0.1:0"];

test(
  "without a configuration it serves its own tools and says how to add a server",
  async () => {
    await using gateway = await startGateway({ command: [binary], args: serveHere, ...emptyFolder() });
    const { tools } = (await (await fetch(`${gateway.url}/v1/tools`)).json()) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toContain("mcp_list_services");
    expect(await callTool(gateway.url, "mcp_list_services", {})).toMatchObject({ status: 200, body: { isError: false } });
    expect(gateway.output()).toContain("mcpServers");
    expect(gateway.output()).toContain("toolcrib.jsonc");
    expect(await gateway.end("SIGTERM")).toBe(0);
  },
  LIMIT_MS,
);

test(
  "a bunfig.toml and a .env in the current folder have no effect",
  async () => {
    const { cwd, env } = emptyFolder();
    const loaded = join(cwd, "foreign-code-ran");
    writeFileSync(join(cwd, "preload.ts"), `await Bun.write(${JSON.stringify(loaded)}, "");`);
    writeFileSync(join(cwd, "bunfig.toml"), 'preload = ["./preload.ts"]\n');
    writeFileSync(join(cwd, ".env"), `TOOLCRIB_DATA=${join(cwd, "elsewhere")}\n`);
    // The trap is a real one: Bun itself falls into it.
    await runVerb([process.execPath, "-e", "0"], cwd, env);
    expect(existsSync(loaded)).toBe(true);
    rmSync(loaded);

    await using gateway = await startGateway({
      command: [binary],
      args: ["--listen", "127.0.0.1:0"],
      cwd,
      env: { ...env, XDG_STATE_HOME: cwd },
    });
    expect(await gateway.end("SIGTERM")).toBe(0);
    expect([loaded, join(cwd, "elsewhere")].filter((path) => existsSync(path))).toEqual([]);
    expect(existsSync(join(cwd, "toolcrib", "events.db"))).toBe(true);
  },
  LIMIT_MS,
);

test(
  "children see neither runtime options nor our settings nor secrets, only what their entry says",
  async () => {
    const { cwd, env } = emptyFolder();
    const entry = { command: process.execPath, args: [ENVIRONMENT_SERVER], env: { OWN: "yes", BUN_OPTIONS: "--silent", BUN_BE_BUN: "1" } };
    writeFileSync(join(cwd, "toolcrib.jsonc"), JSON.stringify({ mcpServers: { child: entry } }));
    const ours = {
      BUN_OPTIONS: "--smol",
      GITHUB_TOKEN: "a-secret-of-ours",
      TOOLCRIB_DATA: join(cwd, "data"),
      NODE_OPTIONS: "--no-warnings",
    };
    await using gateway = await startGateway({ command: [binary], args: ["--listen", "127.0.0.1:0"], cwd, env: { ...env, ...ours } });
    const answer = await callWhenOffered(gateway.url, "child__environment", {});
    expect(answer).toMatchObject({ status: 200, body: { isError: false } });
    const [{ text = "" } = {}] = answer.body["content"] as { text?: string }[];
    const seen = JSON.parse(text) as Record<string, string>;
    expect(seen["OWN"]).toBe("yes");
    expect(Object.keys(seen).filter((name) => name in ours || name === "BUN_BE_BUN")).toEqual([]);
    expect(gateway.output()).toContain("BUN_OPTIONS is set");
    expect(await gateway.end("SIGTERM")).toBe(0);
  },
  LIMIT_MS,
);

test(
  "off loopback it does not start without agents that have tokens",
  async () => {
    const { cwd, env } = emptyFolder();
    const refused = await runVerb([binary, "serve", "--data", "data", "--listen", "0.0.0.0:0"], cwd, env);
    expect(refused).toMatchObject({ code: 78, errors: expect.stringContaining("tokenHash") });
    expect(existsSync(join(cwd, "data"))).toBe(false);
  },
  LIMIT_MS,
);

test(
  "with a policy that cannot be meant it does not start, and says in which line",
  async () => {
    const { cwd, env } = emptyFolder();
    const bad = [
      { policy: { deny: ["group:mial"] } },
      { policy: { groups: { a: ["group:b"], b: ["group:a"] } } },
      { policy: { allow: ["exce"] } },
      { hooks: { preToolUse: [{ name: "h", matcher: "(", type: "command", command: ["true"] }] } },
      { approvals: { approvers: ["grace"] } },
    ];
    for (const policy of bad) {
      writeFileSync(join(cwd, "toolcrib.jsonc"), JSON.stringify(policy, null, 2));
      const refused = await runVerb([binary, "serve", ...serveHere], cwd, env);
      expect(refused).toMatchObject({ code: 78, errors: expect.stringMatching(/toolcrib\.jsonc:[2-9]/) });
    }
    expect(existsSync(join(cwd, "data"))).toBe(false);
  },
  LIMIT_MS,
);

test(
  "healthcheck tells whether the daemon of a folder is ready",
  async () => {
    const { cwd, env } = emptyFolder();
    const probe = [binary, "healthcheck", "--data", "data"];
    expect(await runVerb(probe, cwd, env)).toMatchObject({ code: 69, errors: expect.stringContaining("not ready") });
    await using gateway = await startGateway({ command: [binary], args: serveHere, cwd, env });
    expect(await runVerb(probe, cwd, env)).toEqual({ code: 0, out: "", errors: "" });
    expect(await gateway.end("SIGTERM")).toBe(0);
  },
  LIMIT_MS,
);
