/** `/v1/questions`: who sees what servers ask, and what comes of an operator's answer. */
import { describe, expect, test } from "bun:test";
import { QUESTIONS } from "../../actors/address.ts";
import type { KnownOperator, Role } from "../../src/doors/guard.ts";
import { type OutsideAnswer, type OutsideAnswered, questionRoutes } from "../../src/doors/questions.ts";
import { form, MAILBOX, place, questionId, SURE } from "./question-fixture.ts";

const operator = (name: string, roles: readonly Role[] = ["view", "decide"]): KnownOperator => ({
  name,
  tokenHash: `sha256:${name}`,
  roles,
});
const LOCAL: KnownOperator = { name: "cli:1000", tokenHash: "", roles: ["view", "decide", "admin"] };

async function door() {
  const world = await place();
  const given: OutsideAnswer[] = [];
  const says: { answer?: Extract<OutsideAnswered, { ok: false }> } = {};
  const routes = questionRoutes({
    ...world,
    position: () => world.log.head.position,
    now: world.clock.now,
    tokenHashOf: (agent) => `sha256:${agent}`,
    async answerQuestion(answer) {
      given.push(answer);
      if (says.answer) return says.answer;
      const isDeclined = "decline" in answer.given;
      await (isDeclined ? world.declined(answer.id, answer.by) : world.answered(answer.id, answer.by));
      return { ok: true, status: isDeclined ? "declined" : "answered" };
    },
  });
  const send = async (path: string, who: KnownOperator, body?: unknown) => {
    const request = new Request(`http://x${path}`, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) });
    const response = await routes(request, new URL(request.url), who);
    return {
      status: response?.status,
      body: (await response?.json()) as Record<string, unknown> & { questions: Record<string, unknown>[]; error: { message: string } },
    };
  };
  const list = async (query = "") => (await send(`/v1/questions${query}`, operator("vera", ["view"]))).body.questions;
  const answer = (id: string, body: unknown, who = operator("root")) => send(`/v1/questions/${id}`, who, body);
  return { ...world, given, says, send, list, answer };
}

test("a row says what is asked, during which call, and which fields a person decides", async () => {
  const { asked, list, clock, send, log } = await door();
  const { call, id } = await asked(1);
  expect(await list()).toEqual([
    {
      id,
      callId: call,
      session: "s_1",
      agent: "ada",
      server: "Mail",
      tool: "send",
      name: "Mail__send",
      way: "handback",
      source: "mrtr",
      status: "open",
      message: "Which mailbox?",
      fields: [MAILBOX, SURE],
      round: 1,
      createdAt: clock.now(),
      expiresAt: clock.now() + 1_800_000,
    },
  ]);
  expect((await send("/v1/questions", operator("vera"))).body["position"]).toBe(log.head.position);
});

test("settled ones are listed for a day, newest last, with who answered", async () => {
  const { asked, answered, declined, list, clock, send } = await door();
  const [first, second, third] = [await asked(1), await asked(2), await asked(3)];
  await answered(first.id, "agent:ada");
  await declined(second.id, "client:desk");
  expect((await list()).map(({ id, status, by }) => [id, status, by])).toEqual([
    [first.id, "answered", "agent:ada"],
    [second.id, "declined", "client:desk"],
    [third.id, "open", undefined],
  ]);
  expect((await list("?status=declined")).map(({ id }) => id)).toEqual([second.id]);
  expect((await send("/v1/questions?status=pending", operator("vera"))).status).toBe(400);
  await clock.advance(1_800_000); // the third one expires
  await clock.advance(86_400_000 - 1_800_000 + 1);
  expect((await list()).map(({ id, status }) => [id, status])).toEqual([[third.id, "expired"]]);
});

test("one that nobody needs answered any more says why", async () => {
  const { asked, tell, list } = await door();
  await asked(1);
  await tell(QUESTIONS, { type: "lapse", id: questionId(1), reason: "the server no longer knows it" });
  expect(await list()).toMatchObject([{ status: "lapsed", reason: "the server no longer knows it" }]);
});

describe("an operator's answer", () => {
  test("settles it, under the operator's name and without the values", async () => {
    const { asked, answer, given, log } = await door();
    const { id } = await asked(1);
    const answers = { mailbox: "hunter-mailbox", sure: true };
    expect(await answer(id, { answers })).toMatchObject({ status: 200, body: { id, status: "answered", by: "operator:root" } });
    expect(given).toEqual([{ id, given: { answers }, by: "operator:root" }]);
    expect(JSON.stringify(log.page({ after: 0, limit: 1000 }))).not.toContain("hunter-mailbox");
  });

  test("may be that nobody answers", async () => {
    const { asked, answer, given } = await door();
    const { id } = await asked(1);
    expect(await answer(id, { decline: true }, LOCAL)).toMatchObject({ status: 200, body: { status: "declined", by: "cli:1000" } });
    expect(given).toEqual([{ id, given: { decline: true }, by: "cli:1000" }]);
  });

  test.each([
    [404, "tool_not_found", "it is unknown"],
    [409, "refused", "it has expired"],
    [422, "invalid_arguments", "mailbox: one of work, home"],
    [502, "execution_failed", "its server is not connected"],
  ] as const)("that cannot be given ends %i and leaves it open", async (status, code, message) => {
    const { asked, answer, says, list } = await door();
    const { id } = await asked(1);
    says.answer = { ok: false, status, message };
    expect(await answer(id, { answers: { mailbox: "none" } })).toEqual({ status, body: { error: { code, message } } as never });
    expect(await list("?status=open")).toHaveLength(1);
  });

  test.each([[{}], [{ answers: {}, decline: true }], [{ decline: false }], [{ answers: {}, more: 1 }], ["text"]])(
    "is one of answers and decline: %j is neither",
    async (body) => {
      const { asked, answer, given } = await door();
      const { id } = await asked(1);
      expect((await answer(id, body)).status).toBe(400);
      expect(given).toEqual([]);
    },
  );

  test("on what nobody asked is unknown", async () => {
    const { answer, given } = await door();
    expect((await answer(questionId(9), { decline: true })).status).toBe(404);
    expect(given).toEqual([]);
  });

  test("is not the agent's own", async () => {
    const { asked, answer, given } = await door();
    const { id } = await asked(1, { questions: [form("which", MAILBOX)] });
    expect((await answer(id, { answers: { mailbox: "work" } }, operator("ada"))).status).toBe(403);
    expect(given).toEqual([]);
  });
});
