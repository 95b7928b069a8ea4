/** Doubt in use: the twin rule, who may lift it, and what a restart makes of calls in flight. */
import { describe, expect, test } from "bun:test";
import { fakeServer, harness, memoryLog, text } from "../harness.ts";

/** A call of ada's that timed out: it is in doubt. */
async function inDoubt(args: Record<string, unknown> = { to: "grace" }) {
  const mail = fakeServer();
  const world = await harness({ servers: { mail } });
  const ada = await world.session("s_1");
  const result = ada.call("mail__act", args);
  await world.settle();
  await world.clock.advance(55_000);
  const error = (await result).structuredContent?.error;
  return { ...world, mail, ada, call: String(error?.["callId"]) };
}

describe("the twin rule", () => {
  test("refuses the identical call with an explanation until the doubt is resolved by the agent", async () => {
    const { ada, mail, call, settle, types } = await inDoubt();
    const twin = await ada.call("mail__act", { to: "grace" });
    expect(twin.structuredContent?.error).toMatchObject({ code: "in_doubt", certainty: "not_applied", retryable: false, callId: call });
    expect(twin.content.at(-1)?.text).toContain('"to":"grace"');
    expect(twin.content.at(-1)?.text).toContain("resolve_call");
    expect(mail.calls).toHaveLength(1);

    const resolved = await ada.call("resolve_call", { call, outcome: "not_applied", note: "looked into the outbox" });
    expect(resolved.isError).toBeUndefined();
    expect(types("server/mail")).toContain("call.resolved");
    void ada.call("mail__act", { to: "grace" });
    await settle();
    expect(mail.calls).toHaveLength(2);
  });

  test("compares the arguments as they are sent: their order does not matter, their values do", async () => {
    const { ada, mail, settle } = await inDoubt({ a: 1, b: 2 });
    expect((await ada.call("mail__act", { b: 2, a: 1 })).isError).toBe(true);
    void ada.call("mail__act", { a: 1, b: 3 });
    await settle();
    expect(mail.calls).toHaveLength(2);
  });

  test("does not bind another agent, which is told", async () => {
    const { session, mail, settle, call } = await inDoubt();
    const result = (await session("s_2", "bob")).call("mail__act", { to: "grace" });
    await settle();
    mail.calls[1]?.answer(text("sent"));
    const told = await result;
    expect(told.content.map((block) => block.text)).toEqual([expect.stringContaining(call), "sent"]);
  });

  test("lets any session of the agent resolve, and nobody else", async () => {
    const { session, call } = await inDoubt();
    const bob = await (await session("s_2", "bob")).call("resolve_call", { call, outcome: "applied" });
    expect(bob.structuredContent?.error).toMatchObject({ code: "invalid_arguments" });
    const other = await (await session("s_3", "ada")).call("resolve_call", { call, outcome: "applied" });
    expect(other.isError).toBeUndefined();
    const again = await (await session("s_3", "ada")).call("resolve_call", { call, outcome: "applied" });
    expect(again.content[0]?.text).toContain("resolved already");
  });
});

describe("a restart", () => {
  test("repeats nothing: what may have acted is in doubt, what only reads is not, and the agent is told", async () => {
    const log = memoryLog();
    const mail = fakeServer();
    const options = { servers: { mail }, policies: { mail: { capabilities: { look: "read" as const } } }, log };
    const before = await harness(options);
    const ada = await before.session("s_1");
    void ada.call("mail__act", { to: "grace" });
    void ada.call("mail__look");
    await before.settle();
    expect(mail.calls).toHaveLength(2);

    const after = await harness(options); // the first kernel is dead: nothing answers it any more
    expect(mail.calls).toHaveLength(2);
    const ended = log.page({ after: 0, limit: 1000, type: "call.answered" }).map(({ data }) => data);
    expect(ended).toMatchObject([
      { certainty: "in_doubt", code: "in_doubt" },
      { certainty: "not_applied", code: "cancelled" },
    ]);
    const told = await (await after.session("s_1")).call("call_status");
    expect(told.content[0]?.text).toContain("may have been carried out");
    expect(told.content[0]?.text).toContain('"to":"grace"');
    expect((await (await after.session("s_1")).call("call_status")).content[0]?.text).not.toContain("Notice");
    const twin = await (await after.session("s_1")).call("mail__act", { to: "grace" });
    expect(twin.structuredContent?.error).toMatchObject({ code: "in_doubt" });
  });

  test("after a restart everything is settled: another restart has nothing to do", async () => {
    const log = memoryLog();
    const options = { servers: { mail: fakeServer() }, log };
    const before = await harness(options);
    void (await before.session("s_1")).call("mail__act");
    await before.settle();
    await harness(options);
    const once = log.head.position;
    await harness(options);
    const again = log.page({ after: once, limit: 100 }).map(({ type }) => type);
    expect(again.filter((type) => type.startsWith("call."))).toEqual([]);
  });

  test("a crash of the server itself leaves a mutating call in doubt, and the next call finds the server back", async () => {
    const mail = fakeServer();
    const { session, settle, clock } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    const result = ada.call("mail__act", { n: 1 });
    await settle();
    mail.crash();
    expect((await result).structuredContent?.error).toMatchObject({ code: "execution_failed", certainty: "in_doubt" });
    const next = ada.call("mail__act", { n: 2 });
    await settle();
    await clock.advance(0);
    mail.calls[1]?.answer(text("back"));
    expect((await next).content[0]?.text).toBe("back");
  });
});

describe("a server that cannot be reached", () => {
  test("and never was: a call of its tools was not sent and can be repeated", async () => {
    const mail = fakeServer();
    mail.reachable = false;
    const down = await harness({ servers: { mail } });
    const error = { code: "not_connected", certainty: "not_applied", retryable: true };
    const ada = await down.session("s_1");
    expect((await ada.call("mail__act")).structuredContent?.error).toMatchObject(error);
    expect((await ada.call("mcp_invoke_tool", { server_name: "mail", tool_name: "act" })).structuredContent?.error).toMatchObject(error);
    expect((await ada.call("post__act")).structuredContent?.error).toMatchObject({ code: "tool_not_found" });
  });

  test("is known by what calls meet: one that was not sent makes the connection anew", async () => {
    const mail = fakeServer();
    const { session, settle, clock, types } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    const first = ada.call("mail__act");
    await settle();
    mail.calls[0]?.answer({ kind: "not_sent", reason: "connection refused" });
    expect((await first).structuredContent?.error).toMatchObject({ code: "not_connected", certainty: "not_applied" });
    expect(types("server/mail")).toContain("server.disconnected");
    const second = ada.call("mail__act");
    await settle();
    await clock.advance(0);
    mail.calls[1]?.answer(text("back"));
    expect((await second).content[0]?.text).toBe("back");
    expect(types("server/mail").filter((type) => type === "server.connected")).toHaveLength(2);
  });

  test("after it has been there: not_connected, and the call goes through when it is back", async () => {
    const mail = fakeServer();
    const { session, settle, clock } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    mail.reachable = false;
    mail.crash();
    await settle();
    const refused = ada.call("mail__act");
    await clock.advance(3000);
    expect((await refused).structuredContent?.error).toMatchObject({ code: "not_connected", certainty: "not_applied", retryable: true });
    mail.reachable = true;
    await clock.advance(60_000);
    const result = ada.call("mail__act");
    await settle();
    mail.calls[0]?.answer(text("hello"));
    expect((await result).content[0]?.text).toBe("hello");
  });
});
