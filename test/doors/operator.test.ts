/** What operators decide, and who counts as one. */
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createGuard } from "../../src/doors/guard.ts";
import { createHttpDoor } from "../../src/doors/http.ts";
import { operatorRoutes } from "../../src/doors/operator.ts";
import { fakeServer, harness } from "../harness.ts";

const hash = (token: string) => `sha256:${createHash("sha256").update(token).digest("hex")}`;
const tokens = {
  viewer: "viewer-0123456789abcdef",
  decider: "decider-0123456789abcdef",
  admin: "admin-0123456789abcdef",
  agent: "agent-0123456789abcdef",
};

/** The router over a kernel that holds one doubt; the MCP edge and REST only say that they were reached. */
async function door({ isOpen = true, waitOf = (_: object): number | undefined => undefined, policy = {} } = {}) {
  const mail = fakeServer();
  const world = await harness({ servers: { mail }, policy });
  const result = (await world.session("s_1")).ask("mail__act", { to: "grace" });
  await world.settle();
  await world.clock.advance(55_000);
  const { call } = await result;
  const guard = createGuard({
    agents: [{ name: "ada", tokenHash: hash(tokens.agent) }],
    operators: [
      { name: "vera", tokenHash: hash(tokens.viewer), roles: ["view"] },
      { name: "dora", tokenHash: hash(tokens.decider), roles: ["view", "decide"] },
      { name: "adam", tokenHash: hash(tokens.admin), roles: ["admin"] },
    ],
    allowedHosts: [],
    allowedOrigins: [],
    isLoopback: true,
  });
  const reached = (what: string) => async () => new Response(what);
  const http = createHttpDoor({
    guard: () => guard,
    edge: { fetch: reached("mcp") } as never,
    rest: { tools: reached("list"), call: async (name) => new Response(`call ${name}`), turn: reached("turn") },
    operator: operatorRoutes({
      answerQuestion: async () => ({ ok: false, status: 404, message: "there is none" }),
      tokenHashOf: () => undefined,
      ...world,
      position: () => world.log.head.position,
      now: world.clock.now,
      secretsChanged: async () => undefined,
      reconnect: (name) => name === "mail a",
    }),
    debug: reached("debug"),
    version: () => new Response("version"),
    metrics: () => new Response("metrics"),
    ready: () => new Response("ready"),
    isOpen: () => isOpen,
    isLoopback: true,
    waitOf,
  });
  const ask = async (path: string, token?: keyof typeof tokens, body?: unknown, headers: Record<string, string> = {}) => {
    const authorization: Record<string, string> = token ? { authorization: `Bearer ${tokens[token]}` } : {};
    const init = {
      headers: { host: "127.0.0.1", ...authorization, ...headers },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    };
    return http.fetch(new Request(`http://127.0.0.1${path}`, init), undefined as never);
  };
  return { ...world, ask, call, local: (path: string) => http.fetchLocal(new Request(`http://x${path}`), undefined as never) };
}

describe("doubts", () => {
  test("are listed with the names that people know", async () => {
    const { ask, call } = await door();
    const { doubts } = (await (await ask("/v1/doubts", "viewer")).json()) as { doubts: object[] };
    expect(doubts).toMatchObject([{ call, session: "s_1", server: "mail", tool: "act", code: "timeout" }]);
    expect(doubts[0]).toHaveProperty("argumentsDigest");
  });

  test("are resolved once: the same verdict again is fine, another is not", async () => {
    const { ask, call, views } = await door();
    const path = `/v1/doubts/${call}`;
    expect((await ask(path, "decider", { outcome: "applied", note: "seen in the outbox" })).status).toBe(200);
    expect(views.doubt(call)).toMatchObject({ outcome: "applied", by: "operator:dora" });
    expect((await ask(path, "decider", { outcome: "applied" })).status).toBe(200);
    expect((await ask(path, "decider", { outcome: "not_applied" })).status).toBe(409);
  });

  test.each([
    ["/v1/doubts/c_none", { outcome: "applied" }, 404],
    ["/v1/doubts/CALL", { outcome: "perhaps" }, 400],
    ["/v1/doubts/CALL", { outcome: "applied", more: 1 }, 400],
  ])("%s with %p is refused", async (path, body, status) => {
    const { ask, call } = await door();
    expect((await ask(path.replace("CALL", call), "decider", body)).status).toBe(status);
  });
});

describe("who may do what", () => {
  test.each([
    ["/v1/doubts", undefined, undefined, 401],
    ["/v1/doubts", "agent", undefined, 401],
    ["/v1/doubts", "viewer", undefined, 200],
    ["/v1/doubts/c_none", "viewer", { outcome: "applied" }, 403],
    ["/v1/doubts/c_none", "admin", { outcome: "applied" }, 404],
    ["/v1/questions", undefined, undefined, 401],
    ["/v1/questions", "agent", undefined, 401],
    ["/v1/questions", "viewer", undefined, 200],
    ["/v1/questions/q_none", "viewer", { decline: true }, 403],
    ["/v1/questions/q_none", "decider", { decline: true }, 404],
    ["/v1/tasks", "agent", undefined, 401],
    ["/v1/tasks", "viewer", undefined, 200],
    ["/v1/tasks/t_none/cancel", "viewer", {}, 403],
    ["/v1/tasks/t_none/cancel", "decider", {}, 404],
    ["/v1/secrets/scrub", "decider", { values: ["0123456789"] }, 403],
    ["/v1/secrets/scrub", "admin", { values: ["0123456789"] }, 200],
    ["/v1/servers/mail%20a/reconnect", "decider", {}, 403],
    ["/v1/servers/mail%20a/reconnect", "admin", {}, 200],
    ["/v1/servers/other/reconnect", "admin", {}, 404],
    ["/v1/servers/mail%20a/reconnect", "admin", undefined, 404],
    ["/v1/secrets/reload", "decider", {}, 403],
    ["/v1/secrets/reload", "admin", {}, 200],
    ["/debug/api/status", undefined, undefined, 401],
    ["/debug/api/status", "viewer", undefined, 200],
    ["/debug/api/status", "admin", {}, 405],
    ["/mcp", undefined, undefined, 401],
    ["/mcp", "agent", undefined, 200],
    ["/v1/tools", undefined, undefined, 401],
    ["/v1/tools", "agent", undefined, 200],
    ["/v1/tools/mail__act/call", undefined, {}, 401],
    ["/healthz", undefined, undefined, 200],
    ["/readyz", undefined, undefined, 200],
    ["/metrics", undefined, undefined, 200],
    ["/nothing", "admin", undefined, 404],
    ["/v1/nothing", "admin", undefined, 404],
  ] as const)("%s as %s: %p is %p", async (path, token, body, status) => {
    const { ask } = await door();
    expect((await ask(path, token, body)).status).toBe(status);
  });

  test.each(["/mcp", "/v1/tools", "/v1/doubts", "/debug/api/status", "/healthz", "/readyz", "/metrics", "/version"])(
    "%s is not served to a foreign Host or Origin",
    async (path) => {
      const { ask } = await door();
      expect((await ask(path, "admin", undefined, { host: "evil.example" })).status).toBe(403);
      expect((await ask(path, "admin", undefined, { origin: "https://evil.example" })).status).toBe(403);
    },
  );

  test("the local socket needs no token", async () => {
    const { local } = await door();
    expect((await local("/v1/doubts")).status).toBe(200);
    expect(await (await local("/v1/tools")).text()).toBe("list");
  });

  test("before the doors are open only health answers", async () => {
    const { ask } = await door({ isOpen: false });
    const status = async (path: string) => (await ask(path, "agent")).status;
    expect([await status("/healthz"), await status("/mcp"), await status("/v1/tools")]).toEqual([200, 503, 503]);
  });
});

describe("a token that comes in too often", () => {
  test("is told when to come again, on every route but those for health", async () => {
    const { ask, local } = await door({ waitOf: () => 2500 });
    for (const [path, token] of [
      ["/mcp", "agent"],
      ["/v1/tools", "agent"],
      ["/v1/doubts", "viewer"],
    ] as const) {
      const response = await ask(path, token);
      expect([response.status, response.headers.get("retry-after")]).toEqual([429, "3"]);
      expect(await response.json()).toMatchObject({ error: { code: "rate_limited", retryable: true, retryAfterMs: 2500 } });
    }
    expect((await ask("/v1/tools/mail__act/call", "agent", {})).status).toBe(429);
    expect((await ask("/v1/tools")).status).toBe(401);
    expect((await ask("/healthz")).status).toBe(200);
    expect((await local("/v1/doubts")).status).toBe(429);
  });
});

test("what an agent was denied is forgiven", async () => {
  const world = await door({ policy: { rules: [{ name: "no", tool: "mail__act", action: "deny", reason: "" }] } });
  const grace = await world.session("s_2", "grace");
  for (let time = 0; time < 4; time++) await grace.ask("mail__act");
  expect(await grace.ask("mail__act")).toMatchObject({ code: "refused", rule: "denial-limit" });
  expect((await world.ask("/v1/agents/grace/denials/reset", "viewer", {})).status).toBe(403);
  const reset = async () => (await world.ask("/v1/agents/grace/denials/reset", "decider", {})).json();
  expect(await reset()).toMatchObject({ tools: ["mail__act"] });
  expect(await grace.ask("mail__act")).toMatchObject({ rule: "no" });
  expect(await (await world.ask("/v1/agents/nobody/denials/reset", "decider", {})).json()).toMatchObject({ tools: [] });
});

test("a name in the path is decoded", async () => {
  const { ask } = await door();
  expect(await (await ask("/v1/tools/mail__a%2Fb/call", "agent", {})).text()).toBe("call mail__a/b");
});
