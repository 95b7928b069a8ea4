/** Clients that leave, cancel, or say the same thing twice. */
import { describe, expect, test } from "bun:test";
import { fakeServer, harness, memoryLog, text } from "../harness.ts";

describe("a client that is gone", () => {
  test("cancels its read", async () => {
    const mail = fakeServer();
    const { session, settle, types } = await harness({ servers: { mail }, policies: { mail: { capabilities: { "*": "read" } } } });
    const client = new AbortController();
    void (await session("s_1")).ask("mail__look", {}, { signal: client.signal });
    await settle();
    client.abort("disconnected");
    await settle();
    expect(mail.calls[0]?.request.signal?.aborted).toBe(true);
    expect(types("server/mail")).toContain("call.cancelling");
  });

  test("leaves a mutating call running, and its outcome is announced", async () => {
    const mail = fakeServer();
    const { session, settle } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    const client = new AbortController();
    void ada.ask("mail__act", { to: "grace" }, { signal: client.signal });
    await settle();
    client.abort("disconnected");
    await settle();
    expect(mail.calls[0]?.request.signal?.aborted).toBe(false);
    mail.calls[0]?.answer(text("sent"));
    await settle();
    const next = await ada.call("call_status");
    expect(next.content[0]?.text).toContain("it ended after you had left. It answered: sent");
  });

  test("that cancelled gets five seconds' grace for an answer; then a mutating call is in doubt", async () => {
    const mail = fakeServer();
    const { session, settle, clock, views } = await harness({ servers: { mail } });
    const client = new AbortController();
    void (await session("s_1")).ask("mail__act", {}, { signal: client.signal });
    await settle();
    client.abort("cancelled");
    await settle();
    expect(mail.calls[0]?.request.signal?.aborted).toBe(true);
    await clock.advance(4_999);
    expect(views.doubts("ada")).toEqual([]);
    await clock.advance(1);
    expect(views.doubts("ada")).toMatchObject([{ code: "cancelled" }]);
  });
});

describe("an idempotency key", () => {
  const key = { idempotencyKey: "order-17" };

  test("joins the running call, and later gets the stored outcome", async () => {
    const mail = fakeServer();
    const { session, settle } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    const first = ada.ask("mail__act", { n: 1 }, key);
    await settle();
    const second = (await session("s_2", "ada")).ask("mail__act", { n: 1 }, key);
    await settle();
    expect(mail.calls).toHaveLength(1);
    mail.calls[0]?.answer(text("done"));
    const [one, two] = await Promise.all([first, second]);
    const three = await ada.ask("mail__act", { n: 1 }, key);
    expect(mail.calls).toHaveLength(1);
    for (const end of [two, three]) expect([end.call, end.result]).toEqual([one.call, one.result]);
  });

  test("holds across a restart", async () => {
    const log = memoryLog();
    const mail = fakeServer();
    const before = await harness({ servers: { mail }, log });
    const first = (await before.session("s_1")).ask("mail__act", { n: 1 }, key);
    await before.settle();
    mail.calls[0]?.answer(text("done"));
    const one = await first;
    const after = await harness({ servers: { mail }, log });
    const two = await (await after.session("s_1")).ask("mail__act", { n: 1 }, key);
    expect([two.call, two.result, mail.calls.length]).toEqual([one.call, one.result, 1]);
  });

  test("of a call that a crash cut tells the doubt instead of repeating", async () => {
    const log = memoryLog();
    const mail = fakeServer();
    const before = await harness({ servers: { mail }, log });
    void (await before.session("s_1")).ask("mail__act", { n: 1 }, key);
    await before.settle();
    const after = await harness({ servers: { mail }, log });
    const again = await (await after.session("s_1")).ask("mail__act", { n: 1 }, key);
    expect([again.certainty, again.code, mail.calls.length]).toEqual(["in_doubt", "in_doubt", 1]);
  });

  test("with other arguments or another tool is refused", async () => {
    const mail = fakeServer();
    const { session, settle } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    void ada.ask("mail__act", { n: 1 }, key);
    await settle();
    for (const [name, args] of [
      ["mail__act", { n: 2 }],
      ["mail__look", { n: 1 }],
    ] as const)
      expect(await ada.ask(name, args, key)).toMatchObject({ code: "invalid_arguments", rule: "idempotency-key-reused" });
  });

  test("belongs to its agent", async () => {
    const mail = fakeServer();
    const { session, settle } = await harness({ servers: { mail } });
    void (await session("s_1", "ada")).ask("mail__act", { n: 1 }, key);
    void (await session("s_2", "bob")).ask("mail__act", { n: 2 }, key);
    await settle();
    expect(mail.calls).toHaveLength(2);
  });

  test("is free again when its call did nothing", async () => {
    const mail = fakeServer();
    const { session, settle } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    const first = ada.ask("mail__act", { n: 1 }, key);
    await settle();
    mail.calls[0]?.answer({ kind: "not_sent", reason: "refused" });
    expect((await first).certainty).toBe("not_applied");
    void ada.ask("mail__act", { n: 2 }, key);
    await settle();
    expect(mail.calls).toHaveLength(2);
  });

  test("that is left by one of two waiters cancels nothing", async () => {
    const mail = fakeServer();
    const { session, settle } = await harness({ servers: { mail }, policies: { mail: { capabilities: { "*": "read" } } } });
    const ada = await session("s_1");
    const client = new AbortController();
    void ada.ask("mail__look", {}, { ...key, signal: client.signal });
    await settle();
    const second = ada.ask("mail__look", {}, key);
    client.abort("disconnected");
    await settle();
    expect(mail.calls[0]?.request.signal?.aborted).toBe(false);
    mail.calls[0]?.answer(text("seen"));
    expect((await second).result).toMatchObject({ content: [{ text: "seen" }] });
  });
});

describe("secrets", () => {
  const secrets = [{ name: "MAIL_TOKEN", value: "tok-4f9c1c7e88aa" }];

  test("reach the tool as they were sent, and never the log", async () => {
    const mail = fakeServer();
    const { session, settle, log } = await harness({ servers: { mail }, secrets });
    const result = (await session("s_1")).call("mail__act", { header: "Bearer tok-4f9c1c7e88aa" });
    await settle();
    expect(mail.calls[0]?.request.arguments).toEqual({ header: "Bearer tok-4f9c1c7e88aa" });
    mail.calls[0]?.answer(text("used tok-4f9c1c7e88aa"));
    expect((await result).content[0]?.text).toMatch(/^used \[REDACTED secret #[0-9a-f]{8}\]$/);
    expect(JSON.stringify(log.page({ after: 0, limit: 1000 }))).not.toContain("tok-4f9c1c7e88aa");
    expect(JSON.stringify(log.query("select command from turns"))).not.toContain("tok-4f9c1c7e88aa");
  });

  test("come back only on the server that returned them", async () => {
    const [mail, files] = [fakeServer(), fakeServer()];
    const { session, settle } = await harness({ servers: { mail, files }, secrets });
    const ada = await session("s_1");
    const read = ada.call("mail__look");
    await settle();
    mail.calls[0]?.answer(text("key=tok-4f9c1c7e88aa"));
    const seen = (await read).content[0]?.text ?? "";
    void ada.call("mail__act", { text: seen });
    await settle();
    expect(mail.calls[1]?.request.arguments).toEqual({ text: "key=tok-4f9c1c7e88aa" });
    const elsewhere = await ada.call("files__act", { text: seen });
    expect(elsewhere.structuredContent?.error).toMatchObject({ code: "invalid_arguments" });
    expect(files.calls).toHaveLength(0);
  });
});
