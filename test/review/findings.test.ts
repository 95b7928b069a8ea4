/** What the specification asks for and the code does not do yet. Each test is marked as failing: when its finding is mended it says so, and the mark goes. */
import { describe, expect, test } from "bun:test";
import { REGISTRY } from "../../actors/address.ts";
import { DEFAULT_LIMITS, OPEN_POLICY } from "../../actors/catalogue.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import { answerOf } from "../../src/calls/answer.ts";
import { fakeServer, harness, memoryLog, text } from "../harness.ts";

describe("the twin rule", () => {
  test("holds for a call that waited while its twin came into doubt", async () => {
    const mail = fakeServer();
    const { session, settle, clock } = await harness({ servers: { mail }, limits: { slotsPerServer: 1 } });
    const ada = await session("s_1");
    void ada.ask("mail__act", { to: "grace" });
    const second = ada.ask("mail__act", { to: "grace" }, { timeoutMs: 300_000 });
    await settle();
    await clock.advance(55_000); // the first is in doubt, the second leaves the queue in the same turn
    await settle();
    expect(mail.calls).toHaveLength(1);
    expect(await second).toMatchObject({ code: "in_doubt", certainty: "not_applied" });
  });
});

describe("a request whose client is gone before its turn", () => {
  test("is not sent, or its outcome is announced", async () => {
    const mail = fakeServer();
    const { session, settle } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    void ada.ask("mail__act", { to: "grace" }, { signal: AbortSignal.abort("cancelled") });
    await settle();
    if (mail.calls.length === 0) return;
    mail.calls[0]?.answer(text("sent"));
    await settle();
    expect((await ada.call("call_status")).content[0]?.text).toContain("Notice");
  });
});

describe("a tool that decides inside the turn", () => {
  test("works when it had to wait for a slot", async () => {
    const mail = fakeServer();
    const { session, settle, clock, views } = await harness({ servers: { mail }, limits: { slotsPerServer: 1 } });
    const ada = await session("s_1");
    const acted = ada.ask("mail__act");
    await settle();
    await clock.advance(55_000);
    const { call } = await acted;
    const status = ada.call("call_status");
    const resolved = ada.call("resolve_call", { call, outcome: "applied" });
    await status;
    await settle();
    expect((await resolved).isError).toBeUndefined();
    expect(views.doubts("ada")).toEqual([]);
  });

  test("gives the stored outcome to a repeat with the same key", async () => {
    const mail = fakeServer();
    const { session, settle, clock, views } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    const acted = ada.ask("mail__act");
    await settle();
    await clock.advance(55_000);
    const args = { call: (await acted).call, outcome: "applied" };
    const first = answerOf(await ada.ask("resolve_call", args, { idempotencyKey: "k" }), "resolve_call", views);
    const again = answerOf(await ada.ask("resolve_call", args, { idempotencyKey: "k" }), "resolve_call", views);
    expect(again.result).toEqual(first.result);
  });
});

describe("an idempotency key", () => {
  test("of a call that was in doubt and is resolved tells what it turned out to be", async () => {
    const mail = fakeServer();
    const { session, settle, clock, views } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    const first = ada.ask("mail__act", {}, { idempotencyKey: "k" });
    await settle();
    await clock.advance(55_000);
    await first;
    mail.calls[0]?.answer(text("sent after all"));
    await settle();
    const again = answerOf(await ada.ask("mail__act", {}, { idempotencyKey: "k" }), "mail__act", views);
    expect(again.error).toBeUndefined();
    expect(again.result).toMatchObject({ content: [{ text: "sent after all" }] });
  });

  test("is free again once its doubt is resolved as not applied", async () => {
    const mail = fakeServer();
    const { session, settle, clock } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    const first = ada.ask("mail__act", {}, { idempotencyKey: "k" });
    await settle();
    await clock.advance(55_000);
    await ada.call("resolve_call", { call: (await first).call, outcome: "not_applied" });
    void ada.ask("mail__act", {}, { idempotencyKey: "k" });
    await settle();
    expect(mail.calls).toHaveLength(2);
  });

  test("that is joined gives an earlier outcome's notice to one of those who wait, not to all", async () => {
    const mail = fakeServer();
    const { session, settle } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    const client = new AbortController();
    void ada.ask("mail__act", { n: 1 }, { signal: client.signal });
    await settle();
    client.abort("disconnected");
    mail.calls[0]?.answer(text("sent"));
    await settle();
    const both = [1, 2].map(() => ada.ask("mail__act", { n: 2 }, { idempotencyKey: "k" }));
    await settle();
    mail.calls[1]?.answer(text("done"));
    const told = (await Promise.all(both)).flatMap(({ notices }) => notices);
    expect(told).toHaveLength(1);
  });
});

describe("free text", () => {
  test("that an agent made up stands in a payload that can be erased, not in the data of a refusal", async () => {
    const { session, log } = await harness({ servers: { mail: fakeServer() } });
    await (await session("s_1")).call("mcp_invoke_tool", { server_name: "the patient is Ada Lovelace", tool_name: "act" });
    const [refused] = log.page({ after: 0, limit: 1000, type: "call.refused" });
    expect(JSON.stringify(refused?.data)).not.toContain("Ada Lovelace");
  });

  test("as the name of a tool is bounded", async () => {
    const { session, log } = await harness();
    await (await session("s_1")).call("x".repeat(100_000));
    const [refused] = log.page({ after: 0, limit: 1000, type: "call.refused" });
    expect(JSON.stringify(refused?.data).length).toBeLessThan(10_000);
  });
});

describe("two resolutions of one doubt at the same time", () => {
  test("are not both told that they hold", async () => {
    const mail = fakeServer();
    const { session, settle, clock } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    const acted = ada.ask("mail__act");
    await settle();
    await clock.advance(55_000);
    const { call } = await acted;
    const told = await Promise.all(["applied", "not_applied"].map((outcome) => ada.call("resolve_call", { call, outcome })));
    expect(told.filter(({ isError }) => isError)).toHaveLength(1);
  });
});

describe("a session's heir", () => {
  test("hands on to its own heir what turns up late", async () => {
    const mail = fakeServer();
    const { session, settle, runtime } = await harness({ servers: { mail } });
    const client = new AbortController();
    void (await session("s_1")).ask("mail__act", { n: 1 }, { signal: client.signal });
    await settle();
    client.abort("disconnected");
    await settle();
    await session("s_2");
    await session("s_3");
    await runtime.enter("session/s_1", { type: "bequeath", to: "s_2" });
    await runtime.enter("session/s_2", { type: "bequeath", to: "s_3" });
    mail.calls[0]?.answer(text("sent"));
    await settle();
    expect((runtime.stateOf("session/s_3") as SessionState).notices).toHaveLength(1);
  });
});

describe("a server entry", () => {
  const configure = (name: string, digest: string) => ({
    type: "configure",
    digest,
    limits: DEFAULT_LIMITS,
    naming: "prefixed",
    servers: [
      { name: "builtin", id: "builtin", origin: "builtin", transport: "builtin" },
      { name, id: "000000000000", origin: "operator", transport: "stdio" },
    ],
    policies: { [name]: { ...OPEN_POLICY, deniedTools: ["act"] } },
  });

  test("keeps its policy when only the case of its name changes", async () => {
    const { session, runtime } = await harness({ servers: { mail: fakeServer() } });
    const ada = await session("s_1");
    await runtime.enter(REGISTRY, configure("mail", "d2"));
    expect(await ada.ask("mail__act")).toMatchObject({ code: "tool_not_found" });
    await runtime.enter(REGISTRY, configure("Mail", "d3"));
    const client = AbortSignal.timeout(50);
    expect(await ada.ask("mail__act", {}, { signal: client })).toMatchObject({ code: "tool_not_found" });
  });

  test("that is removed lets nobody wait for it", async () => {
    const mail = fakeServer();
    const { session, settle, connections, types } = await harness({ servers: { mail }, limits: { slotsPerServer: 1 }, log: memoryLog() });
    const ada = await session("s_1");
    void ada.ask("mail__act", { n: 1 });
    void ada.ask("mail__act", { n: 2 });
    await settle();
    connections.apply([]);
    await settle();
    expect(types("server/mail")).toContain("call.rejected");
  });
});
