/** Calls that people decide on after the request has ended, or after a restart. */
import { describe, expect, test } from "bun:test";
import { memoryLog } from "../harness.ts";
import { EXPIRES_MS, errorOf, HOLD_MS, place } from "./approval-fixture.ts";

describe("after the hold", () => {
  test("the request ends, and the identical call runs exactly once; another one is asked about anew", async () => {
    const { asked, vote, clock, answerNext, mail, call, settle, pending } = await place();
    const { result, id } = await asked({ to: "grace" });
    await clock.advance(HOLD_MS);
    const error = errorOf(await result);
    expect(error).toMatchObject({ code: "approval_pending", certainty: "not_applied", approvalId: id, expiresAt: expect.any(Number) });
    await vote(id, "approve");
    expect(mail.calls).toHaveLength(0);
    void call("mail__act", { to: "all" });
    await settle();
    expect(pending()).toHaveLength(1);
    const retried = call("mail__act", { to: "grace" });
    await settle();
    await answerNext("sent");
    expect(await retried).toMatchObject({ content: expect.arrayContaining([{ type: "text", text: "sent" }]) });
    void call("mail__act", { to: "grace" });
    await settle();
    expect(pending()).toHaveLength(2);
    expect(mail.calls).toHaveLength(1);
  });

  test("a client that hears progress waits for 45 seconds", async () => {
    const { ask, settle, clock } = await place();
    let code: string | undefined;
    void ask("mail__act", {}, { onProgress: () => undefined }).then((end) => {
      code = end.code;
    });
    await settle();
    await clock.advance(44_000);
    expect(code).toBeUndefined();
    await clock.advance(1000);
    expect(code).toBe("approval_pending");
  });

  test("an approval that nobody used in time is gone", async () => {
    const { asked, vote, clock, settle, call, mail, pending } = await place({ grantTtlMs: 60_000 });
    const { id } = await asked();
    await clock.advance(HOLD_MS);
    await vote(id, "approve");
    await clock.advance(60_000);
    void call("mail__act");
    await settle();
    expect(mail.calls).toHaveLength(0);
    expect(pending()).toHaveLength(1);
  });

  test.each([
    ["deny", "was denied"],
    ["revise", "wants this call"],
  ])("what was said then (%s) is told to the identical call, once", async (verdict, words) => {
    const { asked, vote, clock, call, settle, pending } = await place();
    const { id } = await asked();
    await clock.advance(HOLD_MS);
    await vote(id, verdict, "operator:root", { instructions: "use the draft folder" });
    const told = await call("mail__act");
    expect(errorOf(told)).toMatchObject({ code: "approval_denied", approvalId: id });
    expect(told.content.at(-1)?.text).toContain(words);
    expect(told.content.at(-1)?.text).toContain("use the draft folder");
    void call("mail__act");
    await settle();
    expect(pending()).toHaveLength(1);
  });

  test("nobody decides in time: the approval expires, counted from when it was asked for", async () => {
    const { asked, clock, views, vote, mail } = await place({ holdMs: EXPIRES_MS * 2 });
    const { result, id } = await asked();
    await clock.advance(EXPIRES_MS);
    expect(errorOf(await result)).toMatchObject({ code: "approval_pending" });
    expect((await result).content.at(-1)?.text).toContain("expired");
    expect(views.approval(id)?.status).toBe("expired");
    await vote(id, "approve");
    expect(mail.calls).toHaveLength(0);
  });
});

describe("after a restart", () => {
  const restarted = async (afterMs: number) => {
    const log = memoryLog();
    const before = await place({}, log);
    const { id } = await before.asked({ to: "grace" });
    const after = await place({}, log);
    await after.clock.advance(afterMs);
    return { id, ...after };
  };

  test("the call has ended, the approval can still be given, and the identical call runs once", async () => {
    const { id, vote, call, settle, mail, answerNext, pending, log } = await restarted(0);
    const end = log.page({ after: 0, limit: 1000 }).find(({ type }) => type === "call.answered");
    expect(end?.data).toMatchObject({ code: "approval_pending", approval: id, unclaimed: true });
    expect(pending()).toMatchObject([{ id }]);
    await vote(id, "approve");
    const retried = call("mail__act", { to: "grace" });
    await settle();
    await answerNext("sent");
    await retried;
    expect(mail.calls).toHaveLength(1);
    void call("mail__act", { to: "grace" });
    await settle();
    expect(mail.calls).toHaveLength(1);
  });

  test("an approval whose time ran out meanwhile has expired, and a vote comes too late", async () => {
    const { id, vote, views } = await restarted(EXPIRES_MS);
    await vote(id, "approve");
    expect(views.approval(id)?.status).toBe("expired");
  });
});
