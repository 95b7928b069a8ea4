/** When nobody is asked, what is judged again, and what people are told, through the kernel. */
import { expect, test } from "bun:test";
import { OPEN_LAYER } from "../../actors/policy/defaults.ts";
import { memoryLog } from "../harness.ts";
import { errorOf, place, supervised } from "./approval-fixture.ts";

test("with nobody to ask it is refused at once", async () => {
  const { call, log } = await place({ approvers: [] });
  expect(errorOf(await call("mail__act"))).toMatchObject({ code: "refused" });
  expect(log.page({ after: 0, limit: 1000 }).find(({ type }) => type === "call.refused")?.data).toMatchObject({ rule: "no_approver" });
});

test("what was tightened while people thought about it holds, and the log says which rule it was", async () => {
  const { asked, vote, configure, mail, log } = await place();
  const { result, id } = await asked();
  await configure({}, "d2", { ...supervised(), global: { ...OPEN_LAYER, denyCapabilities: ["mutating"] } });
  await vote(id, "approve");
  expect(errorOf(await result)).toMatchObject({ code: "refused" });
  expect(mail.calls).toHaveLength(0);
  const end = log.page({ after: 0, limit: 1000 }).find(({ type }) => type === "call.answered");
  expect(end?.data).toMatchObject({ code: "refused", rule: "policy.denyCapabilities:mutating", approval: id });
});

test("an approved call that fails is shown as failed, and the next request says so", async () => {
  const { asked, vote, mail, settle, views, pending } = await place();
  const { result, id } = await asked();
  await vote(id, "approve");
  mail.calls[0]?.answer({ kind: "result", result: { content: [{ type: "text", text: "mailbox full" }], isError: true } });
  await settle();
  await result;
  expect(views.approval(id)?.execution).toMatchObject({ status: "failed", code: "tool_error" });
  await asked({ again: true });
  expect(pending()).toMatchObject([{ attempt: 2, prior: { failure: "tool_error", said: "mailbox full" } }]);
});

test("the webhook is told, without what people said", async () => {
  const { asked, posts } = await place({ webhook: "https://hooks.example/approvals" });
  const { id } = await asked({ to: "grace" });
  expect(posts).toMatchObject([
    {
      url: "https://hooks.example/approvals",
      body: { event: "approval.requested", approval: { id, name: "mail__act", arguments: { to: "grace" } } },
    },
  ]);
});

test("call_status tells where an approval stands, to its own session only", async () => {
  const { asked, vote, clock, call, session } = await place();
  const { id } = await asked();
  const status = async () => (await call("call_status", { id })).structuredContent;
  expect(await status()).toMatchObject({ id, kind: "approval", tool: "mail__act", status: "pending", expiresAt: expect.any(Number) });
  expect((await call("call_status")).structuredContent).toMatchObject({
    approvals: [{ id, status: "pending" }],
    open: [{ status: "asking" }],
  });
  await clock.advance(15_000);
  await vote(id, "approve");
  expect(await status()).toMatchObject({ status: "approved" });
  expect((await call("call_status", { id })).content.at(-1)?.text).toContain("it then runs, once");
  const other = await session("s_2", "grace");
  expect((await other.call("call_status", { id })).structuredContent).toMatchObject({ id, status: "unknown" });
});

test("every reason stands in the one request", async () => {
  const ask = { name: "ask-first", tool: "mail__act", action: "ask", reason: "it is the mail" } as const;
  const { asked, pending } = await place({}, memoryLog(), { rules: [ask] });
  await asked();
  expect(pending()).toMatchObject([{ reasons: ["ask-first: it is the mail", "autonomy:supervised: it may change something"] }]);
});

test("what is refused anyway is asked of nobody", async () => {
  const deny = { name: "never", tool: "mail__act", action: "deny", reason: "" } as const;
  const { call, views } = await place({}, memoryLog(), { rules: [deny] });
  expect(errorOf(await call("mail__act"))).toMatchObject({ code: "refused" });
  expect(views.approvals(0)).toEqual([]);
});
