/** Calls that people decide on while the request waits, through the kernel. */
import { describe, expect, test } from "bun:test";
import { errorOf, place } from "./approval-fixture.ts";

describe("within the hold", () => {
  test("an approved call runs in the same request and uses its approval up", async () => {
    const { asked, vote, answerNext, mail, views, types } = await place();
    const { result, id } = await asked({ to: "grace" });
    expect(mail.calls).toHaveLength(0);
    await vote(id, "approve");
    await answerNext("sent");
    expect(await result).toMatchObject({ content: [{ text: "sent" }] });
    expect(mail.calls).toHaveLength(1);
    expect(views.approval(id)).toMatchObject({ status: "approved", arguments: { to: "grace" }, execution: { status: "succeeded" } });
    expect(types().filter((type) => /^(approval|grant|call)\./.test(type))).toEqual([
      "call.requested",
      "approval.requested",
      "approval.decided",
      "approval.resolved",
      "grant.issued",
      "grant.consumed",
      "call.admitted",
      "call.dispatched",
      "call.settled",
      "call.answered",
    ]);
  });

  test("a denied call is refused with the reviewer's words", async () => {
    const { asked, vote, mail } = await place();
    const { result, id } = await asked();
    await vote(id, "deny", "operator:root", { reason: "not on a Friday" });
    const { content, isError, structuredContent } = await result;
    expect(isError).toBe(true);
    expect(structuredContent?.error).toMatchObject({ code: "approval_denied", certainty: "not_applied", retryable: false, approvalId: id });
    expect(content.at(-1)?.text).toContain('operator:root says (a reviewer\'s words): "not on a Friday"');
    expect(mail.calls).toHaveLength(0);
  });

  test("a call that is sent back carries the instructions, and the next one says which round it is", async () => {
    const { asked, vote, pending } = await place();
    const first = await asked({ to: "all" });
    await vote(first.id, "revise", "operator:root", { instructions: "only to grace" });
    expect((await first.result).content.at(-1)?.text).toContain("only to grace");
    const second = await asked({ to: "grace" });
    expect(pending()).toMatchObject([{ id: second.id, round: 2 }]);
    await vote(second.id, "revise", "operator:root", { instructions: "no" });
    expect(errorOf(await second.result)).toMatchObject({ code: "approval_denied" });
    expect((await second.result).content.at(-1)?.text).toContain("was denied"); // the last round
  });

  test("a call that the client cancels is not asked about any more", async () => {
    const { ask, settle, pending, views, mail } = await place();
    const stop = new AbortController();
    const end = ask("mail__act", {}, { signal: stop.signal });
    await settle();
    const id = pending()[0]?.id ?? "";
    stop.abort("cancelled");
    await settle();
    await end;
    expect(views.approval(id)?.status).toBe("cancelled");
    expect(mail.calls).toHaveLength(0);
  });

  test("a call whose client has left runs once it is approved, and is announced", async () => {
    const { ask, call, settle, pending, vote, answerNext, mail } = await place();
    const stop = new AbortController();
    void ask("mail__act", {}, { signal: stop.signal });
    await settle();
    stop.abort("disconnected");
    await settle();
    await vote(pending()[0]?.id ?? "", "approve");
    await answerNext("sent");
    expect(mail.calls).toHaveLength(1);
    expect((await call("call_status")).content[0]?.text).toContain("It answered: sent");
  });

  test("identical calls are asked about once; one of them uses the approval", async () => {
    const { asked, vote, pending, answerNext, mail } = await place();
    const first = await asked();
    const second = await asked();
    expect(pending()).toHaveLength(1);
    await vote(first.id, "approve");
    await answerNext("sent");
    expect(await first.result).toMatchObject({ content: [{ text: "sent" }] });
    expect(errorOf(await second.result)).toMatchObject({ code: "cancelled" });
    expect(mail.calls).toHaveLength(1);
  });
});
