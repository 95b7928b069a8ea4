/** Who may record what was said in a session's conversation, and what is kept of it. */
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createGuard } from "../../src/doors/guard.ts";
import { createHttpDoor } from "../../src/doors/http.ts";
import { createRest } from "../../src/doors/rest.ts";
import { createSessions } from "../../src/doors/sessions.ts";
import { createToolLists } from "../../src/doors/tool-lists.ts";
import { harness } from "../harness.ts";

const hash = (token: string) => `sha256:${createHash("sha256").update(token).digest("hex")}`;
const tokenOf = (name: string) => `${name}-0123456789abcdef`;
const agent = (name: string, more: object = {}) => ({ name, tokenHash: hash(tokenOf(name)), ...more });

/** Agents ada, who is run by a host, and bob; a session `desk` of each, `s_1` and `s_2`, and `s_3` of bob's alone. */
async function door(options: Parameters<typeof harness>[0] = {}, { isFresh = true, agents = true } = {}) {
  const world = await harness(options);
  const position = () => world.log.head.position;
  const sessions = createSessions({ ...world, limitOf: () => 0, now: world.clock.now, randomId: () => "0" });
  const guard = createGuard({
    agents: agents ? [agent("ada", { host: true }), agent("bob"), agent("eve", { host: false })] : [],
    operators: [
      { name: "vera", tokenHash: hash(tokenOf("vera")), roles: ["view"] },
      { name: "dora", tokenHash: hash(tokenOf("dora")), roles: ["decide"] },
      { name: "adam", tokenHash: hash(tokenOf("adam")), roles: ["admin"] },
    ],
    allowedHosts: [],
    allowedOrigins: [],
    isLoopback: true,
  });
  const reached = async () => new Response("elsewhere", { status: 418 });
  const http = createHttpDoor({
    guard: () => guard,
    edge: { fetch: reached } as never,
    rest: createRest({ ...world, sessions, lists: createToolLists(world), position }),
    operator: async () => undefined,
    debug: reached,
    version: () => new Response(),
    metrics: () => new Response(),
    ready: () => new Response(),
    isOpen: () => true,
    isLoopback: true,
    waitOf: () => undefined,
  });
  const request = (session: string, body: unknown, headers: Record<string, string> = {}) =>
    new Request(`http://127.0.0.1/v1/sessions/${encodeURIComponent(session)}/turns`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { host: "127.0.0.1", ...headers },
    });
  const record = async (who: string | undefined, session: string, body: unknown) => {
    const headers: Record<string, string> = who === undefined ? {} : { authorization: `Bearer ${tokenOf(who)}` };
    const response = await http.fetch(request(session, body, headers), undefined as never);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> & { error?: { message: string } } };
  };
  const local = (session: string, body: unknown) => http.fetchLocal(request(session, body), undefined as never);
  const open = (id: string, of: string, name: string, client = "test") =>
    world.runtime.enter(`session/${id}`, { type: "open", agent: of, name, client, era: "rest", profile: "default" });
  if (isFresh) {
    await open("s_1", "ada", "desk");
    await open("s_2", "bob", "desk");
    await open("s_3", "bob", "den");
  }
  return { ...world, record, local, open };
}
const said = (text: string) => ({ role: "user", text });

describe("a turn", () => {
  test("is recorded by the agent's host, under the session's name or its id", async () => {
    const { record, views, log, clock } = await door();
    const first = await record("ada", "desk", said("book the flight"));
    expect(first).toEqual({ status: 200, body: { recorded: true, position: log.head.position } });
    await record("ada", "s_1", { role: "assistant", text: "which one?" });
    const at = clock.now();
    expect(views.turnsOf("s_1", 12)).toEqual([
      { role: "user", at, text: "book the flight" },
      { role: "assistant", at, text: "which one?" },
    ]);
    expect(log.page({ after: 0, limit: 100, type: "turn.recorded" }).map(({ data }) => data)).toEqual([
      { role: "user", by: "agent:ada" },
      { role: "assistant", by: "agent:ada" },
    ]);
  });

  test("is recorded by an operator in any session, and over the local socket", async () => {
    const { record, local, log } = await door();
    expect((await record("dora", "s_2", said("a"))).status).toBe(200);
    expect((await record("adam", "den", said("b"))).status).toBe(200);
    expect((await local("s_1", said("c"))).status).toBe(200);
    expect(log.page({ after: 0, limit: 100, type: "turn.recorded" }).map(({ stream, data }) => [stream, data])).toEqual([
      ["session/s_2", { role: "user", by: "operator:dora" }],
      ["session/s_3", { role: "user", by: "operator:adam" }],
      ["session/s_1", { role: "user", by: expect.stringMatching(/^cli:/) }],
    ]);
  });

  test.each([
    ["bob", "desk", 403, /host: true/],
    ["eve", "desk", 403, /cannot speak for its user/],
    ["vera", "s_1", 403, /role decide/],
    [undefined, "s_1", 401, /operator's token/],
    ["nobody", "s_1", 401, /operator's token/],
    ["ada", "s_2", 404, /of this agent: its first request/],
    ["ada", "den", 404, /of this agent: its first request/],
    ["dora", "s_none", 404, /debug\/api\/sessions/],
    ["dora", "desk", 409, /^Several agents/],
  ] as const)("of %p in %p is answered %p", async (who, session, status, message) => {
    const { record, types } = await door();
    const answer = await record(who, session, said("yes"));
    expect(answer.status).toBe(status);
    expect(answer.body.error?.message).toMatch(message);
    expect(types()).not.toContain("turn.recorded");
  });

  test("of everybody's agent on loopback is refused: it is no host", async () => {
    const { record } = await door({}, { agents: false });
    expect((await record(undefined, "s_1", said("yes"))).status).toBe(403);
  });

  test.each([[{ role: "system", text: "x" }], [{ role: "user", text: "" }], [{ role: "user" }], [{ ...said("x"), by: "me" }], [[]]])(
    "like %j is refused",
    async (body) => {
      const { record } = await door();
      expect((await record("ada", "desk", body)).status).toBe(400);
    },
  );

  test("is scrubbed before it is cut, and cut at 8 KiB without half of a character, with a note", async () => {
    const { record, views } = await door({ secrets: [{ name: "K", value: "canary-0123456789" }] });
    const answer = await record("ada", "desk", said(`${"é".repeat(4090)}canary-0123456789${"x".repeat(5000)}`));
    expect(answer.body).toMatchObject({ recorded: true, cut: true });
    const text = views.turnsOf("s_1", 1)[0]?.text ?? "";
    expect(text).toMatch(/^é{4090}[^\n]{1,12}\n\[cut: \d{4} more bytes were not kept\]$/);
    expect(text).not.toContain("canary");
    await record("ada", "desk", said("€".repeat(3000)));
    expect(views.turnsOf("s_1", 1)[0]?.text).toBe(`${"€".repeat(2730)}\n[cut: 810 more bytes were not kept]`);
  });
});

describe("the views", () => {
  test("give the newest turns of one session, newest last, also after a restart", async () => {
    const { record, log } = await door();
    for (const text of ["a", "b", "c"]) await record("ada", "desk", said(text));
    await record("dora", "s_2", said("other"));
    const { views } = await door({ log }, { isFresh: false });
    expect(views.turnsOf("s_1", 2).map(({ text }) => text)).toEqual(["b", "c"]);
    expect(views.lastUserTurn("s_1")).toBe(log.head.at);
    expect(views.lastUserTurn("s_3")).toBeUndefined();
  });

  test("know when the user spoke last, whatever the agent said since", async () => {
    const { record, views, clock } = await door();
    await record("ada", "desk", { role: "assistant", text: "hello" });
    expect(views.lastUserTurn("s_1")).toBeUndefined();
    await record("ada", "desk", said("hi"));
    const at = clock.now();
    await clock.advance(1000);
    await record("ada", "desk", { role: "assistant", text: "so?" });
    expect(views.lastUserTurn("s_1")).toBe(at);
  });

  test("count for the heir what the user said before it was there, and nothing that is said elsewhere later", async () => {
    const { record, open, runtime, views, clock } = await door();
    await record("ada", "desk", said("do it"));
    const at = clock.now();
    await clock.advance(1000);
    await open("s_4", "ada", "desk 2");
    await runtime.enter("session/s_1", { type: "bequeath", to: "s_4" });
    expect(views.lastUserTurn("s_4")).toBe(at);
    expect(views.turnsOf("s_4", 12)).toEqual([]);
    await clock.advance(1000);
    await record("ada", "desk", said("another matter"));
    await runtime.enter("session/s_1", { type: "bequeath", to: "s_3" });
    await runtime.enter("session/s_1", { type: "bequeath", to: "s_4" });
    expect(views.lastUserTurn("s_4")).toBe(at);
    await record("ada", "s_4", said("yes"));
    expect(views.lastUserTurn("s_4")).toBe(clock.now());
  });

  test("leave out what was erased", async () => {
    const { record, views, log } = await door();
    await record("ada", "desk", said("gone"));
    await log.erase({ session: "s_1", by: "operator", reason: "asked for" });
    expect(views.turnsOf("s_1", 12)).toEqual([]);
  });
});

test("a session that never was records nothing", async () => {
  const { runtime, types } = await door();
  await runtime.enter("session/s_9", { type: "recordTurn", role: "user", by: "agent:ada", payload: { text: "x" } });
  expect(types("session/s_9")).toEqual([]);
});
