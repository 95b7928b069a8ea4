/** What holds for every entry: its secrets are named, every field of it is accounted for, and what is ours is valid. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { Server } from "../../src/config/server-schema.ts";
import { imported, placesOf, ref, server } from "./support.ts";

test("secrets that stand as text are named by their place, wherever they stand", () => {
  const secrets = (entry: object, path?: string) => server(entry, path).secrets.map(({ field }) => field);
  expect(secrets({ command: "x", env: { API_KEY: "abcdefghij", PATH: "/usr/bin", MAX_TOKENS: "512", USE_TOKEN: "true" } })).toEqual([
    "env.API_KEY",
  ]);
  expect(secrets({ command: "x", args: ["--api-key", "abcdefghij", "--token=zyxwvutsrq"] })).toEqual(["args[1]", "args[2]"]);
  expect(secrets({ url: "https://u:pass-word@a.example/?token=zyxwvutsrq", headers: { Authorization: "Bearer abcdefghij" } })).toEqual([
    "url",
    "headers.Authorization",
  ]);
  expect(secrets({ command: "x", env: { API_KEY: ref("KEY") } })).toEqual([]);
  expect(secrets({ command: "x", bearer_token: "abcdefghij" })).toEqual(["bearer_token"]);
  expect(secrets({ url: "https://a.example", auth: { CLIENT_SECRET: "abcdefghij" } })).toEqual(["auth.CLIENT_SECRET"]);
  expect(secrets({ settings: { database_url: "postgresql://u:pass-word@db/x" } }, "zed.json")).toEqual(["settings.database_url"]);
  expect(server({ command: "x", env: { API_KEY: "YOUR_API_KEY" } }).warnings).toEqual([
    "env.API_KEY: looks like a placeholder for a secret",
  ]);
});

test("every field of any entry stands in exactly one place, and what is ours is valid", () => {
  const names =
    `command args env cwd url serverUrl httpUrl headers http_headers type transport enabled disabled tools includeTools excludeTools
    allowedTools deniedTools timeout toolTimeoutMs tool_timeout_sec description summary autoApprove trust oauth auth envFile name id tasks
    argGuards transportMode bearer_token_env_var env_vars env_http_headers settings Command unknown __proto__`.split(/\s+/);
  const text = fc.constantFrom("x", "", "stdio", "http", "https://a.example", ref("A"), ref("cmd:x"), "sse", "a b");
  const value = fc.oneof(
    text,
    fc.boolean(),
    fc.integer(),
    fc.constant(null),
    fc.array(text, { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom("A", "path", "a b", "env", "name", "profile"),
      fc.oneof(text, fc.integer(), fc.array(text, { maxLength: 2 })),
      { maxKeys: 3 },
    ),
  );
  const path = fc.constantFrom(
    "mcp.json",
    ".mcp.json",
    ".gemini/settings.json",
    "rockbot.json",
    "cline.json",
    "copilot.json",
    "mcphub.json",
  );
  fc.assert(
    fc.property(path, fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 8 }), (file, entry) => {
      const source = JSON.parse(JSON.stringify(entry)) as object;
      const { servers, error } = imported({ mcpServers: { s: source } }, file);
      const [found] = servers;
      if (found === undefined) return expect(error).toContain("__proto__");
      for (const field of Object.keys(source)) expect(`${field} ${placesOf(field, found)}`).toBe(`${field} 1`);
      if (Object.keys(found.entry).length > 0) expect(Server.safeParse(found.entry).error?.issues ?? []).toEqual([]);
      const { command, args, env, cwd, url, headers } = found.entry;
      expect(JSON.stringify({ command, args, env, cwd, url, headers })).not.toContain(ref("cmd:x"));
    }),
    { numRuns: 500 },
  );
});
