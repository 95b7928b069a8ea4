import { expect, test } from "bun:test";
import { DEFAULT_ELICITATION } from "../../actors/catalogue.ts";
import { harness, text } from "../harness.ts";
import { form, MAILBOX } from "./fixture.ts";
import { expectNothingHeld } from "./held.ts";
import { legacyServer } from "./legacy-server.ts";

async function called(elicitation: Partial<typeof DEFAULT_ELICITATION> = {}) {
  const { server, ask } = legacyServer();
  const policies = { mail: { elicitation: { ...DEFAULT_ELICITATION, mode: "auto" as const, ...elicitation } } };
  const place = await harness({ servers: { mail: server }, policies });
  const ada = await place.session("s_1");
  const call = ada.call("mail__send", { to: "bob" }, { timeoutMs: 60_000 });
  await place.settle();
  return { server, ask, place, ada, call };
}
const openQuestions = ({ views }: Awaited<ReturnType<typeof harness>>) =>
  views.questions(Number.MAX_SAFE_INTEGER).filter(({ status }) => status === "open");

test("10,000 questions on one connection: ten are heard, the rest is declined unheard, and the agent reads why", async () => {
  const { server, ask, place, call } = await called({ maxPerCall: 10_000, defaults: { mailbox: "home" } });
  const answers = await Promise.all(Array.from({ length: 10_000 }, () => ask(MAILBOX)));
  await place.settle();
  expect(answers.filter((answer) => answer?.action === "accept")).toHaveLength(10);
  expect(answers.slice(10).every((answer) => answer?.action === "decline")).toBe(true);
  expect(place.types("server/mail").filter((type) => type === "call.questioned")).toHaveLength(11);
  server.calls[0]?.answer(text("sent"));
  const result = await call;
  expect(result.isError).toBeUndefined();
  expect(result.content.at(-1)?.text).toContain("rounds-per-call");
  expectNothingHeld(place);
});

test.each([
  ["a schema of 5 MB", form("Big.", { a: { type: "string", description: "d".repeat(5 * 1024 * 1024) } }), "question-schema-bytes"],
  ["a message of 8,001 characters", form("m".repeat(8001), { a: { type: "string" } }), "question-message-characters"],
] as const)("%s is declined", async (_, request, limit) => {
  const { server, ask, place, call } = await called();
  expect(await ask(request)).toEqual({ action: "decline" });
  server.calls[0]?.answer(text("sent"));
  expect((await call).content.at(-1)?.text).toContain(limit);
  expectNothingHeld(place);
});

test("a server that withdraws what it asked, and asks again without end, does not put off the end of its call for ever", async () => {
  const { ask, place, call } = await called({ responder: "operator", responderTimeoutMs: 0, maxPerCall: 10_000 });
  for (let time = 0; time < 30; time++) {
    const withdrawn = new AbortController();
    const answer = ask(MAILBOX, withdrawn.signal);
    await place.settle();
    expect(openQuestions(place).length).toBeLessThanOrEqual(1);
    withdrawn.abort();
    await place.settle();
    expect((await answer)?.action).toBe(time < 10 ? "cancel" : "decline");
    expect(openQuestions(place)).toEqual([]);
  }
  await place.clock.advance(60_000);
  expect((await call).structuredContent?.error).toMatchObject({ code: "timeout" });
  expect(place.questions.held()).toBe(0);
});

test("what is withdrawn before it was put to anybody is put to nobody", async () => {
  const { server, ask, place, call } = await called({ responder: "operator" });
  const withdrawn = new AbortController();
  const answer = ask(MAILBOX, withdrawn.signal);
  withdrawn.abort();
  expect(await answer).toEqual({ action: "decline" });
  await place.settle();
  expect(openQuestions(place)).toEqual([]);
  server.calls[0]?.answer(text("sent"));
  await call;
  expectNothingHeld(place);
});

test("where the ledger has no room for an operator's question, it is declined with the limit's name, and its call has its time", async () => {
  const { server, ask } = legacyServer();
  const elicitation = { ...DEFAULT_ELICITATION, mode: "auto" as const, responder: "operator" };
  const place = await harness({
    servers: { mail: server },
    policies: { mail: { elicitation } },
    limits: { questions: { perSession: 5, total: 0 } },
  });
  const ada = await place.session("s_1");
  const call = ada.call("mail__send", { to: "bob" }, { timeoutMs: 60_000 });
  await place.settle();
  expect(await ask(MAILBOX)).toEqual({ action: "decline" });
  await place.clock.advance(60_000);
  const result = await call;
  expect(result.structuredContent?.error).toMatchObject({ code: "timeout" });
  expect(result.content[0]?.text).toContain("bridge.maxPendingQuestions");
  expect(place.questions.held()).toBe(0);
});

test("an operator's question that runs out is declined to its server, and only the server's answer ends the call", async () => {
  const { server, ask, place, call } = await called({ responder: "operator", responderTimeoutMs: 0 });
  const answer = ask(MAILBOX);
  await place.clock.advance(60_000);
  expect(await answer).toEqual({ action: "decline" });
  await place.settle();
  server.calls[0]?.answer(text("sent"));
  const result = await call;
  expect(result.content[0]?.text).toBe("sent");
  expectNothingHeld(place);
});

test("a server that asks while it was given nothing to do is declined, and nothing is written", async () => {
  const { server, ask, place, call } = await called();
  server.calls[0]?.answer(text("sent"));
  await call;
  const before = place.types().length;
  expect(await ask(MAILBOX)).toEqual({ action: "decline" });
  expect(place.types()).toHaveLength(before);
});
