/** The example that `bun run start` uses is valid: its servers are those that its package.json installs, and a script beside it. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../src/config/load.ts";
import { resolveEntry } from "../../src/config/resolve.ts";

const examples = join(import.meta.dir, "..", "..", "examples");
const result = loadConfig({ flag: join(examples, "toolcrib.jsonc"), env: {}, cwd: "/", home: "/" });
if (!result.ok) throw new Error(JSON.stringify(result.errors));

test("it loads without a warning", () => {
  expect(result.warnings).toEqual([]);
  expect(Object.keys(result.config.mcpServers)).toEqual(["everything", "desk", "filesystem"]);
});

test("its servers need no variable and start an installed package or a script in the folder of the file", () => {
  const { dependencies } = JSON.parse(readFileSync(join(examples, "package.json"), "utf8")) as { dependencies: object };
  for (const [name, entry] of Object.entries(result.config.mcpServers)) {
    const resolved = resolveEntry(name, entry, { env: {} });
    expect(resolved).toMatchObject({ ok: true, target: { kind: "stdio", command: "bun", cwd: examples }, registered: [] });
    const script = entry.kind === "stdio" ? (entry.args[0] ?? "") : "";
    const installed = Object.keys(dependencies).map((dependency) => `node_modules/${dependency}/dist/index.js`);
    expect(installed.includes(script) || existsSync(join(examples, script))).toBe(true);
  }
});
