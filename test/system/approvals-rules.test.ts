/** When nobody is asked, what is judged again, and what people are told, through the kernel. */
import { expect, test } from "bun:test";
import { OPEN_LAYER } from "../../actors/policy/defaults.ts";
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
  expect(end?.data).toMatchObject({ code: "refused", rule: "denyCapabilities:mutating", approval: id });
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
