/** What older servers ask on their open connection: which calls it is about, in which order it is answered, and how much time passes. */
import { describe, expect, test } from "bun:test";
import type { Question } from "../../src/calls/ask.ts";
import type { KernelOptions } from "../../src/system/kernel-options.ts";
import { harness, text } from "../harness.ts";
import { form, HANDBACK, MAILBOX, mailPlace, olderServer, wordsOf } from "./fixture.ts";

const TIER = { url: "http://models.example/v1", model: "m" } as never;
/** Models that answer when the test says so. */
function slowModels() {
  const open: { prompt: string; say: (content: object | undefined) => void }[] = [];
  const llm: NonNullable<KernelOptions["llm"]> = {
    tiers: () => ({ low: TIER, balanced: TIER }),
    complete: (prompt) =>
      new Promise((resolve) => {
        const say = (content?: object) =>
          resolve({ ok: true, text: JSON.stringify(content ? { action: "accept", content } : { action: "decline" }) });
        open.push({ prompt: JSON.stringify(prompt), say });
      }),
  };
  return { llm, open };
}
const AUTO = { mode: "auto" } as const;

async function calling(
  elicitation: Parameters<typeof mailPlace>[0] = AUTO,
  options: Parameters<typeof mailPlace>[1] = {},
  more: Partial<Question> = {},
) {
  const mail = olderServer(["send", "list"]);
  const at = await mailPlace(elicitation, options, mail);
  const result = at.ada.call("mail__send", { to: "bob" }, more);
  await at.place.settle();
  return { ...at, mail, result };
}

describe("a question on the connection", () => {
  test("is answered there, and noted beside the result of the call", async () => {
    const { mail, place, result } = await calling({ ...AUTO, defaults: { mailbox: "home" } });
    expect(await mail.ask(MAILBOX).answer).toEqual({ action: "accept", content: { mailbox: "home" } });
    mail.calls[0]?.answer(text("sent"));
    expect(wordsOf(await result)).toContain("from the configured defaults");
    expect([mail.calls.length, place.failures]).toEqual([1, []]);
  });

  test("is never handed back: whoever answers within the call does", async () => {
    const { mail, place, result } = await calling(HANDBACK);
    expect(await mail.ask(MAILBOX).answer).toEqual({ action: "decline" });
    mail.calls[0]?.answer(text("sent"));
    expect(wordsOf(await result)).toContain("nobody here to answer it");
    expect(place.views.questions(0)).toEqual([]);
  });

  test("of a server that nobody calls is declined", async () => {
    const mail = olderServer();
    await mailPlace({ ...AUTO, defaults: { mailbox: "home" } }, {}, mail);
    expect(await mail.ask(MAILBOX).answer).toEqual({ action: "decline" });
  });

  test("stops the time of its call, which has all of it again afterwards, and frees its slot meanwhile", async () => {
    const { llm, open } = slowModels();
    const { mail, place, ada, result } = await calling(AUTO, { llm, limits: { defaultTimeoutMs: 10_000, slotsPerServer: 1 } });
    const asked = mail.ask(MAILBOX);
    await place.settle();
    await place.clock.advance(15_000);
    void ada.call("mail__list");
    await place.settle();
    expect(mail.calls).toHaveLength(2);
    open[0]?.say({ mailbox: "work" });
    expect(await asked.answer).toEqual({ action: "accept", content: { mailbox: "work" } });
    await place.clock.advance(9_999);
    mail.calls[0]?.answer(text("sent"));
    expect(wordsOf(await result)).toContain("by a language model");
  });

  test("that the server withdraws is not answered", async () => {
    const { llm, open } = slowModels();
    const { mail, place, result } = await calling(AUTO, { llm });
    const asked = mail.ask(MAILBOX);
    await place.settle();
    asked.withdraw();
    expect(await asked.answer).toEqual({ action: "cancel" });
    open[0]?.say({ mailbox: "work" });
    await place.settle();
    mail.calls[0]?.answer(text("sent"));
    const note = wordsOf(await result);
    expect([note.includes("took it back"), note.includes("by a language model, because")]).toEqual([true, true]);
  });

  test("is noted beside a failure, too, and beside a time-out", async () => {
    const lost = await calling();
    await lost.mail.ask(MAILBOX).answer;
    lost.mail.calls[0]?.answer({ kind: "lost", reason: "gone" });
    expect(wordsOf(await lost.result)).toContain("the server asked 1 question");
    const late = await calling(AUTO, { limits: { defaultTimeoutMs: 10_000 } });
    await late.mail.ask(MAILBOX).answer;
    await late.place.clock.advance(10_000);
    expect(wordsOf(await late.result)).toContain("once you know what became of this call");
  });
});

describe("two at once", () => {
  test("are answered one after the other, and count together in the bound of their call", async () => {
    const { llm, open } = slowModels();
    const { mail, place } = await calling({ ...AUTO, maxPerCall: 1 }, { llm });
    const asked = [mail.ask(MAILBOX), mail.ask(MAILBOX)];
    await place.settle();
    expect(open).toHaveLength(1);
    open[0]?.say({ mailbox: "work" });
    await place.settle();
    expect(await Promise.all(asked.map(({ answer }) => answer))).toEqual([
      { action: "accept", content: { mailbox: "work" } },
      { action: "decline" },
    ]);
    expect(open).toHaveLength(1);
  });
});

describe("two calls in flight", () => {
  test("a question belongs to both: the model hears of both, and both are told", async () => {
    const { llm, open } = slowModels();
    const { mail, place, ada, result } = await calling(AUTO, { llm });
    const second = ada.call("mail__list", { folder: "inbox" });
    await place.settle();
    const asked = mail.ask(MAILBOX);
    await place.settle();
    for (const words of ["bob", "inbox"]) expect(open[0]?.prompt).toContain(words);
    open[0]?.say({ mailbox: "work" });
    await asked.answer;
    for (const { answer } of mail.calls) answer(text("done"));
    for (const told of [await result, await second]) expect(wordsOf(told)).toContain("1 question");
  });

  test("of two sessions: nobody's person is asked about what may be another's", async () => {
    const shown: string[] = [];
    const elicit: NonNullable<Question["elicit"]> = async ({ message }) => {
      shown.push(message);
      return { action: "accept", content: { mailbox: "home" } };
    };
    const { mail, place } = await calling(AUTO, {}, { elicit });
    const eve = await place.session("s_2", "eve");
    const other = eve.call("mail__list");
    await place.settle();
    expect(await mail.ask(MAILBOX).answer).toEqual({ action: "decline" });
    mail.calls[1]?.answer(text("done"));
    await other;
    expect(await mail.ask(MAILBOX).answer).toEqual({ action: "accept", content: { mailbox: "home" } });
    expect(shown).toEqual(["Which mailbox?"]);
  });
});

test("a server that its own rules do not name has the common ones", async () => {
  const mail = olderServer();
  const place = await harness({ servers: { mail }, elicitation: { ...AUTO, defaults: { mailbox: "home" } } });
  const ada = await place.session("s_1");
  void ada.call("mail__send");
  await place.settle();
  expect(await mail.ask(MAILBOX).answer).toEqual({ action: "accept", content: { mailbox: "home" } });
  expect(await mail.ask(form("Token?", { token: { type: "string" } })).answer).toEqual({ action: "decline" });
});
