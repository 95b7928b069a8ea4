/** Questions beside what else a call may meet: approvals, the order of its session, an idempotency key, and a client that wants no answer any more. */
import { describe, expect, test } from "bun:test";
import { DEFAULT_POLICY, SUPERVISED_PROFILE } from "../../actors/policy/defaults.ts";
import { text } from "../harness.ts";
import { supervised } from "../system/approval-fixture.ts";
import { asks, handedBack, MAILBOX, mailPlace, modernServer, questionIn, wordsOf } from "./fixture.ts";

const HOME = { answers: { mailbox: "home" } };
const READS = { rules: { capabilities: { send: "read", list: "read" } } } as const;

test("people approve a call before its server asks, and are not asked again for its answer", async () => {
  const { mail, place, ada } = await mailPlace({}, { policy: supervised() });
  const call = ada.call("mail__send", { to: "bob" });
  await place.settle();
  const [approval] = place.views.approvals(0);
  expect([mail.calls.length, place.views.questions(0)]).toEqual([0, []]);
  const vote = { type: "vote", approval: approval?.id ?? "", by: "operator:root", channel: "rest", verdict: "approve", payload: {} };
  await place.runtime.enter("session/s_1", vote);
  await place.settle();
  mail.calls[0]?.answer(asks({ which: MAILBOX }) as never);
  const id = questionIn(await call);
  const told = ada.call("mcp_answer", { question_id: id, ...HOME });
  await place.settle();
  mail.calls[1]?.answer(text("sent"));
  expect(wordsOf(await told)).toContain("sent");
  expect(place.views.approvals(0)).toHaveLength(1);
});

test("a call that waits holds no place in the order of its session, and goes on beside what came after it", async () => {
  const profile = { ...SUPERVISED_PROFILE, autonomy: "autonomous" as const, limits: { ...SUPERVISED_PROFILE.limits, orderedWrites: true } };
  const policy = { profiles: { ...DEFAULT_POLICY.profiles, default: profile } };
  const { mail, place, ada, answer } = await handedBack(asks({ which: MAILBOX }), {}, { policy });
  const other = ada.call("mail__send", { to: "eve" });
  await place.settle();
  expect(mail.calls).toHaveLength(2);
  const { told } = await answer(HOME);
  mail.calls[2]?.answer(text("sent to bob"));
  mail.calls[1]?.answer(text("sent to eve"));
  expect([wordsOf(await told).includes("to bob"), wordsOf(await other).includes("to eve")]).toEqual([true, true]);
});

test("what a read comes to after a person outside has answered its question is announced, once", async () => {
  const { mail, place, ada, id } = await handedBack(asks({ which: MAILBOX }), {}, READS);
  await place.questions.answer({ id, given: HOME, by: "operator:eve" });
  await place.settle();
  mail.calls[1]?.answer(text("three letters"));
  await place.settle();
  expect(wordsOf(await ada.call("call_status"))).toContain("three letters");
  expect(wordsOf(await ada.call("call_status"))).not.toContain("three letters");
});

describe("an idempotency key", () => {
  const keyed = { idempotencyKey: "k1" };

  test("gets the question again while it is open, in another session of the agent too", async () => {
    const { mail, place, ada, interrupted } = await mailPlace();
    const id = questionIn(await interrupted(asks({ which: MAILBOX }), keyed));
    const other = await place.session("s_2");
    for (const who of [ada, other]) expect(questionIn(await who.call("mail__send", { to: "bob" }, keyed))).toBe(id);
    expect(mail.calls).toHaveLength(1);
    const changed = await ada.call("mail__send", { to: "eve" }, keyed);
    expect(changed.structuredContent?.error).toMatchObject({ code: "invalid_arguments" });
  });

  test("gets the outcome when it is over, and is free again when nothing was done", async () => {
    const { mail, place, ada, interrupted } = await mailPlace({ handbackTtlMinutes: 1 });
    await interrupted(asks({ which: MAILBOX }), keyed);
    await place.clock.advance(60_000);
    await place.settle();
    void ada.call("mail__send", { to: "bob" }, keyed);
    await place.settle();
    expect(mail.calls).toHaveLength(2);
  });
});

test("an answered call may go on in the background: that is what the answer comes to", async () => {
  const { mail, place, answer } = await handedBack(asks({ which: MAILBOX }), {}, { rules: { tasks: true } });
  const { told } = await answer(HOME);
  mail.calls[1]?.answer({ kind: "task", task: { taskId: "remote-1", era: "modern", pollIntervalMs: 1000 } } as never);
  const started = await told;
  const id = /t_[0-9a-f]{32}/.exec(wordsOf(started))?.[0] ?? "";
  expect([started.isError, place.views.task(id)?.status, place.failures]).toEqual([undefined, "working", []]);
});

test("a call that waits is cancelled with its question by whoever may, and an identical one may go out at once", async () => {
  const { mail, place, ada, id } = await handedBack();
  const { callId } = place.views.question(id) ?? { callId: "" };
  await place.runtime.enter("server/mail", { type: "cancel", call: callId, by: "operator:root" });
  await place.settle();
  expect([place.views.question(id)?.status, place.views.call(callId)?.certainty]).toEqual(["cancelled", "not_applied"]);
  const same = ada.call("mail__send", { to: "bob" });
  await place.settle();
  mail.calls[1]?.answer(text("sent"));
  expect(wordsOf(await same)).toContain("sent");
});

test("a question of another call of the same session waits beside it, each with its own answer", async () => {
  const mail = modernServer(["send", "list"]);
  const { place, ada, interrupted } = await mailPlace({}, {}, mail);
  const ids = [
    questionIn(await interrupted(asks({ a: MAILBOX }, "one"))),
    questionIn(await interrupted(asks({ b: MAILBOX }, "two"), {}, ada, "mail__list")),
  ];
  const told = ids.toReversed().map((id) => ada.call("mcp_answer", { question_id: id, ...HOME }));
  await place.settle();
  expect(mail.calls.slice(2).map(({ request }) => [request.tool, request.requestState])).toEqual([
    ["list", "two"],
    ["send", "one"],
  ]);
  for (const { answer } of mail.calls.slice(2)) answer(text("done"));
  for (const one of told) expect(wordsOf(await one)).toContain("done");
});

test("a call that may not be made any more is not made by an answer, whoever gives it; the question waits for better times", async () => {
  const { mail, place, id, answer } = await handedBack();
  await place.configure({}, "d2", { global: { ...DEFAULT_POLICY.global, deny: ["mail__send"] } });
  expect(wordsOf(await (await answer(HOME)).told)).toContain("may not be made any more");
  expect(await place.questions.answer({ id, given: HOME, by: "operator:eve" })).toMatchObject({ ok: false, status: 403 });
  expect([mail.calls.length, place.views.question(id)?.status]).toEqual([1, "open"]);
  await place.configure({}, "d3");
  await answer(HOME);
  expect(mail.calls).toHaveLength(2);
});

test("a call that may not be made any more ends when its question is declined, and nothing is sent", async () => {
  const { mail, place, id, answer } = await handedBack();
  await place.configure({}, "d2", { global: { ...DEFAULT_POLICY.global, deny: ["mail__send"] } });
  expect(wordsOf(await (await answer({ decline: true })).told)).toContain("the call has ended");
  expect([mail.calls.length, place.views.question(id)?.status]).toEqual([1, "cancelled"]);
  expect(place.views.openCalls("s_1").filter(({ name }) => name === "mail__send")).toEqual([]);
});

test("whoever leaves before its answer could be sent has not answered", async () => {
  const { mail, place, id, answer } = await handedBack();
  mail.reachable = false;
  mail.crash();
  const left = new AbortController();
  const { told } = await answer(HOME, { signal: left.signal });
  left.abort("disconnected");
  await told;
  mail.reachable = true;
  await place.clock.advance(6000);
  expect([mail.calls.length, place.views.question(id)?.status]).toEqual([1, "open"]);
});

test("a question that comes after the time of its call shows that nothing was done", async () => {
  const { mail, place, ada } = await mailPlace({}, { limits: { defaultTimeoutMs: 10_000 } });
  const call = ada.call("mail__send", { to: "bob" });
  await place.settle();
  await place.clock.advance(10_000);
  expect((await call).structuredContent?.error).toMatchObject({ code: "timeout", certainty: "in_doubt" });
  mail.calls[0]?.answer(asks({ which: MAILBOX }) as never);
  await place.settle();
  expect([place.views.doubts("ada"), place.views.openQuestions(), mail.calls.length]).toEqual([[], 0, 1]);
});
