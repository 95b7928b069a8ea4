/** One server's entry: what becomes of each of its fields, in every dialect. */
import { describe, expect, test } from "bun:test";
import { imported, placesOf, ref, server } from "./support.ts";

describe("transports", () => {
  test.each([
    ["a program", { command: "x" }, { command: "x" }],
    ["an address", { url: "https://a.example/mcp" }, { url: "https://a.example/mcp" }],
    [
      "the type wins over what else is there",
      { type: "http", command: "x", url: "https://a.example" },
      { type: "http", url: "https://a.example" },
    ],
    ["streamableHttp", { type: "streamableHttp", url: "https://a.example" }, { type: "streamable-http", url: "https://a.example" }],
    ["streamable_http", { type: "streamable_http", url: "https://a.example" }, { type: "streamable-http", url: "https://a.example" }],
    ["sse", { type: "sse", url: "https://a.example" }, { type: "sse", url: "https://a.example" }],
    ["local", { type: "local", command: "x" }, { type: "stdio", command: "x" }],
    ["transport instead of type", { transport: "sse", url: "https://a.example" }, { type: "sse", url: "https://a.example" }],
    ["serverUrl", { serverUrl: "https://a.example" }, { url: "https://a.example" }],
    ["httpUrl", { httpUrl: "https://a.example" }, { url: "https://a.example", transportMode: "streamable-http" }],
    ["a program and its arguments in one list", { command: ["x", "y"] }, { command: "x", args: ["y"] }],
    ["a program as an object", { command: { path: "x", args: ["y"], env: { A: "b" } } }, { command: "x", args: ["y"], env: { A: "b" } }],
  ])("%s", (_, entry, ours) => {
    expect(server(entry).entry).toEqual(ours);
  });

  test("a url is SSE for Gemini, where no type says otherwise", () => {
    expect(server({ url: "https://a.example" }, "gemini.json").entry).toMatchObject({ transportMode: "sse" });
    expect(server({ url: "https://a.example", type: "http" }, "gemini.json").entry).not.toHaveProperty("transportMode");
  });

  test.each([
    [{}, "neither a program (command) nor an address (url)"],
    [{ enabled: false }, "neither a program"],
    [{ command: "" }, "command: it is no text"],
    [{ type: "ws", url: "wss://a.example" }, "servers of type ws cannot be reached"],
    [{ type: "stdio", url: "https://a.example" }, "of type stdio, and has no command"],
    [{ type: "http", url: "unix:///run/x.sock#/mcp" }, "only http and https addresses"],
    ["text", "it is no object"],
    [null, "it is no object"],
  ])("%j cannot be used, and is reported with the reason", (entry, reason) => {
    const found = server(entry);
    expect(found.entry).toEqual({});
    expect(found.warnings.join()).toContain(reason);
    if (typeof entry === "object") for (const field of Object.keys(entry ?? {})) expect(placesOf(field, found)).toBe(1);
  });
});

describe("fields", () => {
  const program = { command: "x" };
  const address = { url: "https://a.example" };
  test.each([
    ["switches", { ...program, enabled: false }, { disabled: true }, { enabled: "disabled" }],
    ["a switch that is on", { ...program, enabled: true }, {}, { enabled: "disabled" }],
    ["off wins", { ...program, enabled: false, disabled: false }, { disabled: true }, { enabled: "disabled" }],
    [
      "tool filters",
      { ...program, includeTools: ["a"], disabled_tools: ["b"] },
      { allowedTools: ["a"], deniedTools: ["b"] },
      { includeTools: "allowedTools", disabled_tools: "deniedTools" },
    ],
    ["all tools", { ...program, tools: ["*"] }, {}, { tools: "allowedTools" }],
    ["seconds by name", { ...program, tool_timeout_sec: 2.5 }, { toolTimeoutMs: 2500 }, { tool_timeout_sec: "toolTimeoutMs" }],
    ["milliseconds by name", { ...program, callTimeoutMs: 10 }, { toolTimeoutMs: 10 }, { callTimeoutMs: "toolTimeoutMs" }],
    ["what it is for", { ...program, description: " d " }, { summary: "d" }, { description: "summary" }],
    [
      "values that are no texts",
      { ...program, env: { A: 1, B: true, C: null, D: { env: "E" } } },
      { env: { A: "1", B: "true", C: ref("env:C"), D: ref("env:E") } },
      {},
    ],
    [
      "variables that are passed on",
      { ...program, env: { A: "1" }, env_vars: ["B", { name: "C" }] },
      { env: { A: "1", B: ref("env:B"), C: ref("env:C") } },
      { env_vars: "env" },
    ],
    [
      "headers from variables",
      { ...address, http_headers: { A: "1" }, env_http_headers: { B: "C" } },
      { headers: { A: "1", B: ref("env:C") } },
      { http_headers: "headers", env_http_headers: "headers" },
    ],
    [
      "a token from a variable",
      { ...address, bearer_token_env_var: "T" },
      { headers: { Authorization: `Bearer ${ref("env:T")}` } },
      { bearer_token_env_var: "headers" },
    ],
  ])("%s", (_, source, more, mapped) => {
    const found = server(source);
    const { command, url, ...rest } = found.entry;
    expect(rest).toEqual(more as typeof rest);
    expect(found.mapped).toEqual(mapped as typeof found.mapped);
    for (const field of Object.keys(source)) expect(`${field} ${placesOf(field, found)}`).toBe(`${field} 1`);
  });

  test("a plain timeout is in seconds for Cline and Roo, in milliseconds for Gemini and Claude Code, and that is told", () => {
    const timeout = (path: string, value: number) => server({ ...program, timeout: value }, path);
    expect(timeout("cline_mcp_settings.json", 60).entry["toolTimeoutMs"]).toBe(60_000);
    expect(timeout(".roo/mcp.json", 60).entry["toolTimeoutMs"]).toBe(60_000);
    expect(timeout(".gemini/settings.json", 60).entry["toolTimeoutMs"]).toBe(60);
    expect(timeout(".mcp.json", 600_000).entry["toolTimeoutMs"]).toBe(600_000);
    expect(timeout("mcp.json", 60).entry["toolTimeoutMs"]).toBe(60_000);
    expect(timeout("mcp.json", 60_000).warnings).toEqual(["timeout: read as milliseconds"]);
    expect(timeout("mcp.json", -1).notCarried).toEqual([{ field: "timeout", reason: "it is no number above 0" }]);
    expect(server({ ...program, tool_timeout_sec: 10_000 }).warnings.join()).toContain("is cut to bridge.maxTimeoutMs");
  });

  test.each([
    "autoApprove",
    "alwaysAllow",
    "always_allow",
    "trust",
    "trusted",
    "default_tools_approval_mode",
    "approveTools",
    "permissions",
  ])("the approval %s is never carried over", (field) => {
    for (const path of ["mcp.json", "rockbot.json", ".gemini/settings.json"])
      for (const value of [true, ["a"], { a: "approve" }]) {
        const found = server({ ...program, [field]: value }, path);
        expect(found.entry).toEqual(program);
        expect(found.notCarried).toEqual([{ field, reason: expect.stringContaining("approvals are not carried over") }]);
      }
  });

  test("what cannot be carried over has a reason; what nobody knows is kept with its value", () => {
    const source = {
      ...address,
      headersHelper: "./run.sh",
      oauth: { clientId: "a" },
      _note: { a: [1] },
      env: { A: "b" },
      sandboxEnabled: true,
    };
    const found = server(source);
    expect(found.entry).toEqual(address);
    expect(found.notCarried.map(({ field }) => field)).toEqual(["headersHelper", "oauth", "env", "sandboxEnabled"]);
    expect(found.unknown).toEqual([{ field: "_note", value: { a: [1] } }]);
    expect(found.warnings.join()).toContain("sandbox");
  });

  test("names in env and headers that no program could take are left out, one by one", () => {
    const found = server({ ...address, headers: { "a b": "1", ok: "2" } });
    expect(found.entry).toEqual({ ...address, headers: { ok: "2" } });
    expect(found.notCarried).toEqual([{ field: "headers.a b", reason: "not a header name" }]);
  });

  test("patterns of tools do not count here, and that is told", () => {
    expect(server({ ...program, includeTools: ["get_*"] }).warnings.join()).toContain("get_* lets none through");
    expect(server({ ...program, excludeTools: ["rm_*"] }).warnings.join()).toContain("rm_* keeps none out");
  });

  test("packages without a version, relative paths and ourselves are told", () => {
    const warnings = (entry: object) => server(entry).warnings.join();
    expect(warnings({ command: "npx", args: ["-y", "pkg"] })).toContain("pkg is fetched in whatever version is newest");
    expect(warnings({ command: "cmd", args: ["/c", "npx", "-y", "pkg"] })).toContain("pkg is fetched");
    expect(warnings({ command: "bash", args: ["-c", "npx -y pkg"] })).toContain("pkg is fetched");
    expect(warnings({ command: "npx", args: ["-y", "pkg@1.2.3"] })).toBe("");
    expect(warnings({ command: "./x" })).toContain("relative path");
    expect(warnings({ command: "/usr/bin/toolcrib", args: ["stdio"] })).toContain("toolcrib itself");
  });
});

test("servers that the file switches off elsewhere are disabled", () => {
  const { servers } = imported({ mcpServers: { a: { command: "x" }, b: { command: "x" } }, mcp: { excluded: ["b"] } }, "gemini.json");
  expect(servers.map(({ entry }) => entry["disabled"])).toEqual([undefined, true]);
  const allowed = imported({ mcpServers: { a: { command: "x" }, b: { command: "x" } }, mcp: { allowed: ["b"] } }, "gemini.json");
  expect(allowed.servers.map(({ entry }) => entry["disabled"])).toEqual([true, undefined]);
});

describe("an entry of our own form", () => {
  const elicitation = { Mode: "HandBack", defaults: { region: "eu", password: "hunter2hunter2" } };

  test("keeps its rules for questions and tasks, in the documented spelling and without a secret", () => {
    const found = server({ command: "x", elicitation, tasks: true, taskTimeoutMinutes: 5 }, "rockbot.json");
    const kept = { mode: "HandBack", defaults: { region: "eu" } };
    expect(found.entry).toEqual({ command: "x", elicitation: kept, tasks: true, taskTimeoutMinutes: 5 });
    expect(found.notCarried).toEqual([{ field: "elicitation.defaults.password", reason: "no question is answered with a secret" }]);
  });

  test("keeps no rules that are none, and no other client has any", () => {
    expect(server({ command: "x", tasks: { a: 1 } }, "rockbot.json").notCarried).toHaveLength(1);
    expect(server({ command: "x", tasks: true }, ".cursor/mcp.json").unknown).toEqual([{ field: "tasks", value: true }]);
  });
});
