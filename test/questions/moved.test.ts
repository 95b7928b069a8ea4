/** A server's name that is given to another address: what was open at the old one, and what was learnt there, does not go to the new one. */
import { expect, test } from "bun:test";
import { DEFAULT_APPROVALS, DEFAULT_POLICY, SUPERVISED_PROFILE } from "../../actors/policy/defaults.ts";
import { fakeServer, harness, text } from "../harness.ts";
import { asks, handedBack, lastOf, MAILBOX, mailPlace } from "./fixture.ts";
import { started, TASKS } from "./task-fixture.ts";

const HERE = { address: "here" };
const THERE = { address: "there" };

test("a question is answered by nobody any more, and nothing of it is sent", async () => {
  const { mail, place, id, answer } = await handedBack(asks({ which: MAILBOX }), {}, { rules: HERE });
  await place.configure({ mail: THERE }, "d2");
  await place.settle();
  expect(place.views.question(id)).toMatchObject({ status: "cancelled", reason: "its server was pointed to another address" });
  const { told } = await answer({ answers: { mailbox: "home" } });
  expect(await told).toMatchObject({ isError: true });
  expect(mail.calls).toHaveLength(1);
  await place.configure({ mail: HERE }, "d3"); // also when it comes back
  expect(place.views.question(id)).toMatchObject({ status: "cancelled" });
});

test("a task is over, in doubt, and is asked for no more", async () => {
  const { place, id, reports, cancelled } = await started({ elicitation: HERE });
  await place.configure({ lab: { ...TASKS, ...THERE } }, "d2");
  await place.settle();
  expect(place.views.task(id)).toMatchObject({ status: "cancelled", reason: "its server was pointed to another address" });
  expect(place.views.doubts("ada")).toHaveLength(1);
  reports.push({ kind: "ended", outcome: text("of another task with this id") });
  await place.clock.advance(60_000);
  expect(reports).toHaveLength(1);
  expect(cancelled).toEqual(["remote-1"]); // on the connection to the old address, which is still there
});

test("a task and a question that are open stay so as long as only other things of the server change", async () => {
  const { place, id } = await started({ elicitation: HERE });
  await place.configure({ lab: { ...TASKS, ...HERE, trusted: true } }, "d2");
  await place.settle();
  expect(place.views.task(id)).toMatchObject({ status: "working" });
});

test("what the old server asks of a call that still runs is answered by nobody, and nothing was done", async () => {
  const { mail, place, ada } = await mailPlace({}, { rules: HERE });
  const told = ada.call("mail__send", { to: "bob" });
  await place.settle();
  await place.configure({ mail: THERE }, "d2");
  await place.settle();
  mail.calls[0]?.answer(asks({ which: MAILBOX }) as never);
  expect((await told).structuredContent?.error).toMatchObject({ certainty: "not_applied" });
  await place.settle();
  expect(mail.calls).toHaveLength(1);
  expect(place.views.questions(0)).toEqual([]);
});

test("a task that the old server begins for a call that still runs is told to stop, and the call is in doubt", async () => {
  const { server, place, ada, cancelled } = await started({ elicitation: HERE });
  const told = ada.call("lab__other", {});
  await place.settle();
  await place.configure({ lab: { ...TASKS, ...THERE } }, "d2");
  await place.settle();
  server.calls.at(-1)?.answer({ kind: "task", task: { taskId: "remote-2", era: "modern" } } as never);
  expect((await told).structuredContent?.error).toMatchObject({ certainty: "in_doubt" });
  expect(cancelled).toContain("remote-2");
});

test("the marker of a secret does not bring it back at another address", async () => {
  const secrets = [{ name: "token", value: "open-sesame-1234" }];
  const { mail, place, ada } = await mailPlace({}, { rules: HERE, secrets });
  const read = ada.call("mail__send", {});
  await place.settle();
  mail.calls[0]?.answer(text("the token is open-sesame-1234"));
  const marker = /\[REDACTED [^\]]+\]/.exec((await read).content[0]?.text ?? "")?.[0] ?? "";
  void ada.call("mail__send", { again: marker });
  await place.settle();
  expect(lastOf(mail).arguments).toEqual({ again: "open-sesame-1234" });
  await place.configure({ mail: THERE }, "d2");
  const refused = await ada.call("mail__send", { once: marker });
  expect(refused.structuredContent?.error).toMatchObject({ code: "invalid_arguments" });
  expect(mail.calls).toHaveLength(2);
});

test("nor does that of a secret which the old server gave after its name had moved", async () => {
  const secrets = [{ name: "token", value: "open-sesame-1234" }];
  const { mail, place, ada } = await mailPlace({}, { rules: HERE, secrets });
  const read = ada.call("mail__send", {});
  await place.settle();
  await place.configure({ mail: THERE }, "d2");
  await place.settle();
  mail.calls[0]?.answer(text("the token is open-sesame-1234"));
  const marker = /\[REDACTED [^\]]+\]/.exec((await read).content[0]?.text ?? "")?.[0] ?? "";
  expect(marker).not.toBe("");
  const refused = await ada.call("mail__send", { once: marker });
  expect(refused.structuredContent?.error).toMatchObject({ code: "invalid_arguments" });
  expect(JSON.stringify(refused)).not.toContain("@");
  expect(mail.calls).toHaveLength(1);
});

test("an approval for the old address is none for the new one", async () => {
  const profile = { ...SUPERVISED_PROFILE, approvals: { ...DEFAULT_APPROVALS, holdMs: 1 } };
  const policy = { profiles: { ...DEFAULT_POLICY.profiles, default: profile } };
  const { mail, place, ada } = await mailPlace({}, { rules: HERE, policy });
  const code = async () => {
    const asking = ada.call("mail__send", { to: "bob" });
    await place.settle();
    await place.clock.advance(10);
    return (await asking).structuredContent?.error?.["code"];
  };
  expect(await code()).toBe("approval_pending");
  const id = place.views.approvals(0)[0]?.id;
  await place.runtime.enter("session/s_1", {
    type: "vote",
    approval: id,
    by: "operator:root",
    channel: "rest",
    verdict: "approve",
    payload: {},
  });
  await place.settle();
  await place.configure({ mail: THERE }, "d2", policy);
  expect(await code()).toBe("approval_pending");
  expect(mail.calls).toEqual([]);
  expect(place.views.approvals(0)).toHaveLength(2);
});

test("a call that was approved and waits for a slot is not made at the new address", async () => {
  const policy = { profiles: { ...DEFAULT_POLICY.profiles, default: SUPERVISED_PROFILE } };
  const mail = fakeServer();
  const limits = { slotsPerServer: 1 };
  const { session, settle, configure, views, runtime } = await harness({ servers: { mail }, policies: { mail: HERE }, limits, policy });
  const { call } = await session("s_1");
  const approved = async (to: string) => {
    const told = call("mail__act", { to });
    await settle();
    const approval = views.approvals(0).find(({ status }) => status === "pending")?.id;
    await runtime.enter("session/s_1", { type: "vote", approval, by: "operator:root", channel: "rest", verdict: "approve", payload: {} });
    await settle();
    return { told };
  };
  await approved("bob");
  const { told } = await approved("eve");
  expect(mail.calls).toHaveLength(1);
  await configure({ mail: { ...HERE, trusted: true } }, "d2", policy);
  await configure({ mail: THERE }, "d3", policy);
  expect((await told).structuredContent?.error).toMatchObject({ code: "cancelled", certainty: "not_applied" });
  mail.calls[0]?.answer(text("done"));
  await settle();
  expect(mail.calls).toHaveLength(1);
});
