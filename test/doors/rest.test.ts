/** The same tools without MCP: shapes, statuses, sessions. */
import { describe, expect, test } from "bun:test";
import { DEFAULT_POLICY, DEFAULT_PROFILE } from "../../actors/policy/defaults.ts";
import { createRest } from "../../src/doors/rest.ts";
import { createSessions } from "../../src/doors/sessions.ts";
import { createToolLists } from "../../src/doors/tool-lists.ts";
import { fakeServer, harness, text } from "../harness.ts";

const ada = { agent: "ada", profile: "default" };

async function rest(options: Parameters<typeof harness>[0] = {}) {
  const mail = fakeServer();
  const world = await harness({ servers: { mail }, ...options });
  let drawn = 0;
  const sessions = createSessions({ ...world, limitOf: () => 0, now: world.clock.now, randomId: () => `${++drawn}`.padStart(32, "0") });
  const door = createRest({
    ...world,
    sessions,
    lists: createToolLists(world),
    position: () => world.log.head.position,
  });
  const call = (name: string, body: unknown, principal = ada) => {
    const sent = typeof body === "string" ? body : JSON.stringify(body);
    return door.call(name, new Request("http://x/", { method: "POST", body: sent }), principal);
  };
  const list = (query = "") => door.tools(new URL(`http://x/v1/tools${query}`), ada);
  return { ...world, mail, call, list };
}
type Body = Record<string, unknown> & {
  error: Record<string, unknown>;
  tools: { name: string; description: string }[];
  content: { text: string }[];
};
const json = async (response: Response | Promise<Response>) => (await (await response).json()) as Body;

describe("the list", () => {
  test("holds the built-in tools first, then every server's, described by their server", async () => {
    const { list } = await rest();
    const { tools, position } = await json(list());
    expect(tools.map(({ name }) => name)).toEqual([
      "mcp_find_tools",
      "mcp_list_services",
      "mcp_get_service_details",
      "mcp_invoke_tool",
      "mcp_get_prompt",
      "mcp_list_resources",
      "mcp_read_resource",
      "mcp_register_server",
      "mcp_unregister_server",
      "search_known_services",
      "list_tool_guides",
      "get_tool_guide",
      "call_status",
      "resolve_call",
      "mcp_answer",
      "mcp_cancel_task",
      "mail__act",
      "mail__look",
    ]);
    expect(tools.at(-1)?.description).toBe("[mail] does look");
    expect(position).toBeGreaterThan(0);
  });

  test("leaves out what may not be called", async () => {
    const { list } = await rest({ policies: { mail: { deniedTools: ["ACT"] } } });
    expect((await json(list())).tools.map(({ name }) => name)).not.toContain("mail__act");
  });

  test.each([
    ["openai", "function"],
    ["anthropic", "input_schema"],
  ])("comes in the form of %s", async (format, key) => {
    const { list } = await rest();
    expect((await json(list(`?format=${format}`))).tools[0]).toHaveProperty(key);
  });

  test.each(["?format=yaml", "?session=a%20b"])("refuses %s", async (query) => {
    const { list } = await rest();
    expect((await list(query)).status).toBe(400);
  });
});

describe("a call", () => {
  test("answers with the tool's own result and the call's id", async () => {
    const { call, mail, settle } = await rest();
    const response = call("mail__act", { arguments: { to: "grace" } });
    await settle();
    mail.calls[0]?.answer(text("done"));
    const answered = await response;
    expect(answered.status).toBe(200);
    expect(await json(answered)).toMatchObject({
      callId: expect.stringMatching(/^c_/),
      isError: false,
      content: [{ type: "text", text: "done" }],
    });
  });

  test("is 200 also when the tool says that it failed", async () => {
    const { call, mail, settle } = await rest();
    const response = call("mail__act", {});
    await settle();
    mail.calls[0]?.answer({ kind: "result", result: { content: [{ type: "text", text: "no" }], isError: true } });
    const answered = await response;
    expect([answered.status, (await json(answered))["isError"]]).toEqual([200, true]);
  });

  test.each([
    ["no such tool", "mail__burn", {}, 404, "tool_not_found"],
    ["a body that is not JSON", "mail__act", "{", 400, "invalid_arguments"],
    ["an unknown field", "mail__act", { argument: {} }, 400, "invalid_arguments"],
    ["arguments that are a list", "mail__act", { arguments: [] }, 400, "invalid_arguments"],
    ["a session name with a space", "mail__act", { session: "a b" }, 400, "invalid_arguments"],
    ["an integer that JSON would alter", "mail__act", '{"arguments":{"id":9007199254740993}}', 400, "invalid_arguments"],
    ["arguments that are too deep", "mail__act", `{"arguments":{"a":${"[".repeat(70)}${"]".repeat(70)}}}`, 400, "invalid_arguments"],
    ["too many elements", "mail__act", { arguments: { a: Array.from({ length: 10_001 }, () => 0) } }, 400, "invalid_arguments"],
  ])("with %s", async (_, name, body, status, code) => {
    const { call, mail } = await rest();
    const response = await call(name, body);
    expect(response.status).toBe(status);
    expect((await json(response)).error).toMatchObject({ code, certainty: "not_applied", retryable: false });
    expect(mail.calls).toHaveLength(0);
  });

  test("with a key that was used for other arguments is 422", async () => {
    const { call, settle } = await rest();
    void call("mail__act", { arguments: { n: 1 }, idempotencyKey: "k" });
    await settle();
    expect((await call("mail__act", { arguments: { n: 2 }, idempotencyKey: "k" })).status).toBe(422);
  });

  test("beyond the waiting list is 503 and says when to come again", async () => {
    const { call, settle } = await rest({ limits: { slotsPerServer: 1, waitingPerServer: 0 } });
    void call("mail__act", { arguments: { n: 1 } });
    await settle();
    const response = await call("mail__act", { arguments: { n: 2 } });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    expect((await json(response)).error).toMatchObject({ code: "overloaded", retryAfterMs: 1000, retryable: true });
  });
});

describe("sessions", () => {
  const streams = (types: readonly { stream: string }[]) =>
    new Set(types.map(({ stream }) => stream).filter((stream) => stream.startsWith("session/")));

  test("of one name are one; of another agent another; without a name they are `rest`", async () => {
    const { call, log } = await rest();
    for (const [session, agent] of [
      ["a", "ada"],
      ["a", "ada"],
      ["b", "ada"],
      ["a", "bob"],
      [undefined, "ada"],
    ] as const)
      await call("call_status", { ...(session && { session }) }, { agent, profile: "default" });
    const opened = log.page({ after: 0, limit: 100, type: "session.opened" }).map(({ data }) => data);
    expect(opened).toMatchObject([
      { agent: "ada", name: "a" },
      { agent: "ada", name: "b" },
      { agent: "bob", name: "a" },
      { agent: "ada", name: "rest" },
    ]);
    expect(streams(log.page({ after: 0, limit: 100 })).size).toBe(4);
  });

  test("that were silent for ten minutes hand what they have not announced to the next of the same agent and client", async () => {
    const { call, mail, settle, clock } = await rest();
    void call("mail__act", { arguments: { to: "grace" }, session: "old", timeoutMs: 1000 });
    await settle();
    await clock.advance(1000); // in doubt; the answer told so
    mail.calls[0]?.answer(text("sent after all"));
    await settle();
    await clock.advance(600_000);
    const body = await json(call("call_status", { session: "new" }));
    expect(body.content[0]?.text).toContain("sent after all");
    expect((await json(call("call_status", { session: "new" }))).content).toHaveLength(1);
  });

  test("that are alive keep what is theirs", async () => {
    const { call, mail, settle, clock } = await rest();
    void call("mail__act", { session: "old", timeoutMs: 1000 });
    await settle();
    await clock.advance(1000);
    mail.calls[0]?.answer(text("sent after all"));
    await settle();
    expect((await json(call("call_status", { session: "new" }))).content).toHaveLength(1);
    expect((await json(call("call_status", { session: "old" }))).content).toHaveLength(2);
  });
});

test("a call beyond the limit of the hour is a 429 that says when to come again", async () => {
  const limits = { ...DEFAULT_PROFILE.limits, callsPerHour: 1 };
  const { call } = await rest({ policy: { profiles: { ...DEFAULT_POLICY.profiles, default: { ...DEFAULT_PROFILE, limits } } } });
  expect((await call("call_status", {})).status).toBe(200);
  expect((await call("mcp_list_services", {})).status).toBe(200);
  const refused = await call("mcp_list_services", {});
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3600"]);
  expect(await json(refused)).toMatchObject({ error: { code: "rate_limited", retryAfterMs: 3_600_000, retryable: true } });
});
