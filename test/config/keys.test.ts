/** Every key is accepted with a good value, shows in the result, and refuses a bad one by its path. */
import { describe, expect, test } from "bun:test";
import { configJsonSchema } from "../../src/config/schema.ts";
import { errorsOf, loaded, ref } from "./fixture.ts";

const HASH = `sha256:${"0a".repeat(32)}`;
const agent = (more: object = {}) => ({ agents: [{ name: "coder", tokenHash: HASH, ...more }] });
const operator = (more: object = {}) => ({ operators: [{ name: "ann", tokenHash: HASH, roles: ["view"], ...more }] });
const stdio = (more: object = {}) => ({ mcpServers: { s: { command: "prog", ...more } } });
const http = (more: object = {}) => ({ mcpServers: { s: { url: "https://x.example/mcp", ...more } } });

/** Where the value is in the configuration, a file with it, and how it comes out. */
const good: [path: string, file: object, value: unknown][] = [
  ["listen.host", { listen: "127.0.0.2:80" }, "127.0.0.2"],
  ["listen.port", { listen: "[::1]:0" }, 0],
  ["listen.host", { listen: { address: "[::1]:7421" } }, "::1"],
  ["listen.allowedHosts", { listen: { allowedHosts: ["crib.example"] } }, ["crib.example"]],
  ["listen.allowedOrigins", { listen: { allowedOrigins: ["https://a.example"] } }, ["https://a.example"]],
  ["agents.0.name", agent(), "coder"],
  ["agents.0.tokenHash", agent(), HASH],
  ["agents.0.profile", { ...agent({ profile: "own" }), profiles: { own: {} } }, "own"],
  ["agents.0.profile", agent({ profile: "default" }), "default"],
  ["agents.0.host", agent({ host: true }), true],
  ["operators.0.name", operator(), "ann"],
  ["operators.0.roles", operator({ roles: ["decide", "admin"] }), ["decide", "admin"]],
  ["profiles", { profiles: { own: {} } }, { own: {} }],
  ["limits.slotsPerServer", { limits: { slotsPerServer: 2 } }, 2],
  ["limits.waitingPerServer", { limits: { waitingPerServer: 0 } }, 0],
  ["limits.twinMs", { limits: { twinMs: 0 } }, 0],
  ["bridge.defaultTimeoutMs", { bridge: { defaultTimeoutMs: 1000 } }, 1000],
  ["bridge.maxTimeoutMs", { bridge: { maxTimeoutMs: 99_000 } }, 99_000],
  ["bridge.connectRetryBaseDelayMs", { bridge: { connectRetryBaseDelayMs: 20 } }, 20],
  ["profiles.own.wrapperMode", { profiles: { own: { wrapperMode: "Eager" } } }, "eager"],
  ["bridge.wrapperMode", { bridge: { wrapperMode: "LAZY" } }, "lazy"],
  ["bridge.maxNameLength", { bridge: { maxNameLength: 16 } }, 16],
  ["bridge.listAllUpTo", { bridge: { listAllUpTo: 0 } }, 0],
  ["bridge.maxActivatedToolsPerSession", { bridge: { maxActivatedToolsPerSession: 1 } }, 1],
  ["bridge.maxPinnedServersPerSession", { bridge: { maxPinnedServersPerSession: 0 } }, 0],
  ["bridge.activationIdleMs", { bridge: { activationIdleMs: 1 } }, 1],
  ["bridge.maxToolsPerRequest", { bridge: { maxToolsPerRequest: 1 } }, 1],
  ["bridge.drift", { bridge: { drift: { changed: "warn" } } }, { changed: "warn", added: "warn" }],
  ["bridge.drift.added", { bridge: { drift: { added: "withhold" } } }, "withhold"],
  ["bridge.resourceInlineTextLimit", { bridge: { resourceInlineTextLimit: 0 } }, 0],
  ["bridge.attachmentsPath", { bridge: { attachmentsPath: "/srv/saved" } }, "/srv/saved"],
  ["bridge.defaultServers", { bridge: { defaultServers: { docs: "https://docs.example" } } }, { docs: "https://docs.example" }],
  ["bridge.connectRetryCount", { bridge: { connectRetryCount: 0 } }, 0],
  ["bridge.sweepSeconds", { bridge: { sweepSeconds: 0 } }, 0],
  ["bridge.surfaceRefreshSeconds", { bridge: { surfaceRefreshSeconds: 0 } }, 0],
  ["bridge.allowPrivateAddresses", { bridge: { allowPrivateAddresses: true } }, true],
  ["bridge.configPollSeconds", { bridge: { configPollSeconds: 0 } }, 0],
  ["bridge.naming", { bridge: { naming: "bare" } }, "bare"],
  ["secrets.register", { secrets: { register: ["CORP_ID"] } }, ["CORP_ID"]],
  ["secrets.ignore", { secrets: { ignore: ["SORT_KEY"] } }, ["SORT_KEY"]],
  ["secrets.families", { secrets: { families: { clickhouse: false } } }, { clickhouse: false }],
  ["mcpServers.s.kind", stdio({ type: "stdio" }), "stdio"],
  ["mcpServers.s.command", stdio(), "prog"],
  ["mcpServers.s.args", stdio({ args: ["a", "b"] }), ["a", "b"]],
  ["mcpServers.s.env", stdio({ env: { A: "b" } }), { A: "b" }],
  ["mcpServers.s.cwd", stdio({ cwd: "sub" }), "sub"],
  ["mcpServers.s.kind", http(), "http"],
  ["mcpServers.s.url", http(), "https://x.example/mcp"],
  ["mcpServers.s.mode", http({ type: "sse" }), "auto"],
  ["mcpServers.s.mode", http({ transportMode: "sse" }), "sse"],
  ["mcpServers.s.headers", http({ headers: { "X-A": "b" } }), { "X-A": "b" }],
  ["mcpServers.s.allowedTools", stdio({ allowedTools: ["a"] }), ["a"]],
  ["mcpServers.s.deniedTools", stdio({ deniedTools: ["a"] }), ["a"]],
  ["mcpServers.s.toolTimeoutMs", stdio({ toolTimeoutMs: 5 }), 5],
  ["mcpServers.s.trusted", stdio({ trusted: true }), true],
  ["mcpServers.s.disabled", stdio({ disabled: true }), true],
  ["mcpServers.s.summary", stdio({ summary: " Sends mail. " }), "Sends mail."],
  ["mcpServers.s.summary", stdio({ description: "Sends mail." }), "Sends mail."],
  ["mcpServers.s.tools", stdio({ tools: { "*": { capability: "read" } } }), { "*": { capability: "read" } }],
];

test.each(good)("%s is read from %j", (path, file, value) => {
  const found = path.split(".").reduce<unknown>((inside, key) => Reflect.get(Object(inside), key), loaded(file).config);
  expect(found).toEqual(value);
});

const bad: [file: object, error: string][] = [
  [{ listen: "nowhere" }, "listen: expected HOST:PORT, for example 127.0.0.1:7420 or [::1]:7420"],
  [{ listen: "127.0.0.1:70000" }, "listen: a port is a number from 0 to 65535"],
  [{ listen: { adress: "x" } }, 'listen.adress: is not a known key (did you mean "address"?)'],
  [{ agents: {} }, "agents: expected a list, found an object"],
  [agent({ name: "not a name" }), "agents[0].name: a name is 1 to 64 of A-Z a-z 0-9 _ . - and starts with a letter or digit"],
  [
    agent({ tokenHash: "the-token" }),
    "agents[0].tokenHash: expected sha256: and 64 hex digits, the hash of the token (never the token itself)",
  ],
  [{ agents: [{ name: "a" }] }, "agents[0].tokenHash: is required"],
  [agent({ profile: "defalt" }), 'agents[0].profile: there is no such profile (did you mean "default"?)'],
  [agent({ profile: "restrictd" }), 'agents[0].profile: there is no such profile (did you mean "restricted"?)'],
  [agent({ profile: "own" }), "agents[0].profile: there is no such profile (known: default, supervised, restricted)"],
  [agent({ token: "x" }), "agents[0].token: is not a known key (known here: name, tokenHash, profile, host)"],
  [operator({ roles: [] }), "operators[0].roles: must not be empty"],
  [operator({ roles: ["veiw"] }), 'operators[0].roles[0]: expected one of view, decide, admin (did you mean "view"?)'],
  [{ ...agent(), ...operator() }, "operators[0].tokenHash: the same token as agents[0] (make a token of its own)"],
  [{ limits: { slotsPerServer: 0 } }, "limits.slotsPerServer: must be at least 1"],
  [{ limits: { slotsPerServer: 1.5 } }, "limits.slotsPerServer: expected a whole number, found a number"],
  [{ limits: { waitingPerServer: -1 } }, "limits.waitingPerServer: must be at least 0"],
  [{ limits: { twinMS: 5 } }, 'limits.twinMS: is not a known key (did you mean "twinMs"?)'],
  [{ bridge: { naming: "short" } }, "bridge.naming: expected one of prefixed, bare"],
  [{ bridge: { defaultTimeoutMs: "55s" } }, "bridge.defaultTimeoutMs: expected a number, found a text"],
  [{ bridge: { maxTimeoutMs: 0 } }, "bridge.maxTimeoutMs: must be at least 1"],
  [{ bridge: { connectRetryBaseDelayMs: 1 } }, "bridge.connectRetryBaseDelayMs: must be at least 10"],
  [{ bridge: { configPollSeconds: 100_000 } }, "bridge.configPollSeconds: must be at most 86400"],
  [{ bridge: { wrapperMode: "Pined" } }, 'bridge.wrapperMode: expected one of off, eager, lazy, pinned (did you mean "pinned"?)'],
  [{ bridge: { wrapperMode: false } }, "bridge.wrapperMode: expected one of off, eager, lazy, pinned"],
  [{ bridge: { maxNameLength: 15 } }, "bridge.maxNameLength: must be at least 16"],
  [{ bridge: { maxNameLength: 129 } }, "bridge.maxNameLength: must be at most 128"],
  [{ bridge: { maxToolsPerRequest: 0 } }, "bridge.maxToolsPerRequest: must be at least 1"],
  [{ bridge: { drift: { changed: "hide" } } }, "bridge.drift.changed: expected one of withhold, warn"],
  [{ bridge: { drift: { change: "warn" } } }, 'bridge.drift.change: is not a known key (did you mean "changed"?)'],
  [{ bridge: { surfaceRefreshSecond: 1 } }, 'bridge.surfaceRefreshSecond: is not a known key (did you mean "surfaceRefreshSeconds"?)'],
  [
    { secrets: { register: ["p4ss w0rd!"] } },
    `secrets.register[0]: expected a name or one reference such as ${ref("env:NAME")}, never the value itself`,
  ],
  [{ mcpConfig: 5 }, "mcpConfig: expected a text, found a number"],
  [{ mcpSevers: {} }, 'mcpSevers: is not a known key (did you mean "mcpServers"?)'],
  [stdio({ commnd: "x" }), 'mcpServers.s.commnd: is not a known key (did you mean "command"?)'],
  [stdio({ url: "https://x.example" }), "mcpServers.s.url: belongs to an http server, this one is stdio"],
  [http({ cwd: "." }), "mcpServers.s.cwd: belongs to a stdio server, this one is http"],
  [http({ type: "stdio" }), "mcpServers.s: a server of type stdio needs `command`"],
  [stdio({ type: "websocket" }), "mcpServers.s.type: expected one of stdio, http, sse, streamable-http"],
  [{ mcpServers: { s: {} } }, "mcpServers.s: a server needs `command` (a program to start) or `url` (an address to connect to)"],
  [stdio({ Command: "y" }), 'mcpServers.s.Command: is not a known key (did you mean "command"?)'],
  [{ mcpServers: { s: { COMMAND: "x", Command: "y" } } }, 'mcpServers.s.Command: is not a known key (did you mean "command"?)'],
  [{ McpServers: {}, mcpServers: {} }, 'McpServers: is not a known key (did you mean "mcpServers"?)'],
  [{ mcpServers: { s: 5 } }, "mcpServers.s: expected an object, found a number"],
  [stdio({ summary: "  " }), "mcpServers.s.summary: must not be empty"],
  [stdio({ summary: "x".repeat(1001) }), "mcpServers.s.summary: must be at most 1000 characters long"],
  [
    { bridge: { defaultServers: { a__b: "https://x" } } },
    "bridge.defaultServers.a__b: a server's name is 1 to 64 of A-Z a-z 0-9 _ . - , starts with a letter or digit and has no __",
  ],
  [stdio({ args: "a b" }), "mcpServers.s.args: expected a list, found a text"],
  [stdio({ env: { A: 1 } }), "mcpServers.s.env.A: expected a text, found a number"],
  [http({ headers: { "X A": "b" } }), 'mcpServers.s.headers["X A"]: not a header name'],
  [
    stdio({ attachments: { enabled: true } }),
    "mcpServers.s.attachments: is not supported by this release yet (remove it, or comment it out)",
  ],
  [
    stdio({ tools: { t: { capability: "reed" } } }),
    'mcpServers.s.tools.t.capability: expected one of read, idempotent, mutating (did you mean "read"?)',
  ],
];

test.each(bad)("%j is refused", (file, error) => {
  expect(errorsOf(file)).toContain(error);
});

test.each(["tools", "results", "telemetry", "retention", "web", "sandbox"])("the key %s of a later release is refused by name", (key) => {
  expect(errorsOf({ [key]: {} })).toEqual([`${key}: is not supported by this release yet (remove it, or comment it out)`]);
});

describe("server names", () => {
  test.each(["a__b", "", ".a", "a b", "-x", "a/b", "ü", "x".repeat(65)])("%j is no name", (name) => {
    expect(errorsOf({ mcpServers: { [name]: { command: "x" } } })[0]).toContain("a server's name is 1 to 64 of");
  });

  test.each(["a", "9", "A.b-c_d", "x".repeat(64), "constructor"])("%j is a name", (name) => {
    expect(Object.keys(loaded({ mcpServers: { [name]: { command: "x" } } }).config.mcpServers)).toEqual([name]);
  });
});

test("the JSON Schema allows every documented key and no other", () => {
  const schema = configJsonSchema();
  expect(Object.keys(Object(schema["properties"]))).toContain("mcpServers");
  expect(schema["additionalProperties"]).toBe(false);
  expect(JSON.stringify(schema)).toContain("transportMode");
});
