/** What answers a question that was handed back, and what leaves it open. */
import { describe, expect, test } from "bun:test";
import { text } from "../harness.ts";
import { asks, form, handedBack, lastOf, MAILBOX, questionIn, wordsOf } from "./fixture.ts";

const HOME = { answers: { mailbox: "home" } };
const SURE = form("Really send it?", { sure: { type: "boolean" } }, ["sure"]);
const accepted = (content: object) => ({ which: { action: "accept", content } });

test("a server may ask again: another question, the next round, told with what came before", async () => {
  const { mail, place, ada, id, answer } = await handedBack();
  const { told } = await answer(HOME);
  mail.calls[1]?.answer(asks({ size: form("Which size?", { size: { enum: ["s", "m"] } }, ["size"]) }, "state-2") as never);
  const again = await told;
  const next = questionIn(again);
  expect(again.isError).toBeUndefined();
  expect(next).not.toBe(id);
  expect([place.views.question(id)?.round, place.views.question(next)?.round]).toEqual([1, 2]);
  const last = await answer({ answers: { size: "m" } }, {}, ada, next);
  expect(lastOf(mail)).toMatchObject({
    arguments: { to: "bob" },
    inputResponses: { size: { content: { size: "m" } } },
    requestState: "state-2",
  });
  mail.calls[2]?.answer(text("sent"));
  const outcome = wordsOf(await last.told);
  expect(outcome).toContain("2 questions");
  for (const words of ["Which mailbox?", "Which size?"]) expect(outcome).toContain(words);
});

test.each([[true], ["true"]])("it is declined by %p: the server hears it and decides", async (decline) => {
  const { mail, place, id, answer } = await handedBack();
  const { told } = await answer({ decline });
  expect(lastOf(mail).inputResponses).toEqual({ which: { action: "decline" } });
  mail.calls[1]?.answer(text("sent from home"));
  expect(wordsOf(await told)).toContain("may be incomplete");
  expect(place.views.question(id)).toMatchObject({ status: "declined", by: "agent:ada" });
});

test("a JSON text holding the object is an answer, and names are matched without case", async () => {
  for (const answers of [{ MailBox: "work" }, '{"MAILBOX":"work"}']) {
    const { mail, answer } = await handedBack();
    await answer({ answers });
    expect(lastOf(mail).inputResponses).toEqual(accepted({ mailbox: "work" }));
  }
});

describe("the question stays open, nothing is sent, and the form is shown again", () => {
  test.each([
    ["a value that is none of the options", { answers: { mailbox: "office" } }],
    ["a missing field", { answers: { other: "home" } }],
    ["an empty answer", { answers: {} }],
    ["what is no object", { answers: "home" }],
    ["a list", { answers: "[1]" }],
  ])("after %s", async (_, args) => {
    const { mail, place, id, answer } = await handedBack();
    const refused = await (await answer(args)).told;
    expect(refused.isError).toBe(true);
    for (const words of ["stays open", "mailbox", "mcp_answer"]) expect(wordsOf(refused)).toContain(words);
    expect(mail.calls).toHaveLength(1);
    expect(place.views.question(id)?.status).toBe("open");
    await answer(HOME);
    expect(mail.calls).toHaveLength(2);
  });

  test("after neither an answer nor a refusal", async () => {
    const { mail, place, id, answer } = await handedBack();
    for (const args of [{}, { decline: false }, { decline: "false" }]) expect((await (await answer(args)).told).isError).toBe(true);
    expect([mail.calls.length, place.views.question(id)?.status]).toEqual([1, "open"]);
  });
});

describe("whose it is", () => {
  test("another session or agent reads of nothing, in the same words as for an id that was never given", async () => {
    const { mail, place, id, answer } = await handedBack();
    const unknown = `q_${"0".repeat(32)}`;
    const others = [await place.session("s_2"), await place.session("s_3", "eve")];
    for (const other of others) {
      const foreign = wordsOf(await (await answer(HOME, {}, other)).told);
      const none = wordsOf(await (await answer(HOME, {}, other, unknown)).told);
      expect(foreign.replace(id, "ID")).toBe(none.replace(unknown, "ID"));
    }
    expect(mail.calls).toHaveLength(1);
  });

  test("the session that has come in its place may answer, and gets the outcome", async () => {
    const { mail, place, ada, id, answer } = await handedBack();
    const heir = await place.session("s_2");
    const listed = async (who: typeof heir) => {
      const { questions = [], open = [] } = ((await who.call("call_status")).structuredContent ?? {}) as Record<string, { id: string }[]>;
      return [questions.map((one) => one.id), open.length];
    };
    expect([await listed(heir), await listed(ada)]).toEqual([
      [[], 0],
      [[id], 1],
    ]);
    await place.runtime.enter("session/s_1", { type: "bequeath", to: "s_2" });
    expect(await listed(heir)).toEqual([[id], 1]);
    const { told } = await answer(HOME, {}, heir);
    mail.calls[1]?.answer(text("sent"));
    expect(wordsOf(await told)).toContain("sent");
    expect(place.failures).toEqual([]);
  });
});

describe("a decision", () => {
  test("of an agent counts only after its user has spoken, since the question", async () => {
    const { mail, place, id, answer, userSpeaks } = await handedBack(asks({ which: SURE }));
    const yes = { answers: { sure: true } };
    const refused = await (await answer(yes)).told;
    expect(wordsOf(refused)).toContain("Only the user may decide");
    expect([mail.calls.length, place.views.question(id)?.status]).toEqual([1, "open"]);
    await place.runtime.enter("session/s_1", { type: "recordTurn", role: "assistant", by: "agent:host", payload: { text: "yes" } });
    expect((await (await answer(yes)).told).isError).toBe(true);
    await userSpeaks();
    await answer(yes);
    expect(lastOf(mail).inputResponses).toEqual(accepted({ sure: true }));
  });

  test("is not made by what the user said before", async () => {
    const { mail, interrupted, userSpeaks, answer, ada } = await handedBack(asks({ which: MAILBOX }));
    await userSpeaks();
    const id = questionIn(await interrupted(asks({ which: SURE })));
    expect((await (await answer({ answers: { sure: true } }, {}, ada, id)).told).isError).toBe(true);
    expect(mail.calls).toHaveLength(2);
  });

  test("is made by what the user says in the session that has come in its place", async () => {
    const { mail, place, answer, userSpeaks } = await handedBack(asks({ which: SURE }));
    const heir = await place.session("s_2");
    await place.runtime.enter("session/s_1", { type: "bequeath", to: "s_2" });
    await userSpeaks("s_2");
    await answer({ answers: { sure: true } }, {}, heir);
    expect(mail.calls).toHaveLength(2);
  });

  test("is an empty form, too: to agree to it takes a user", async () => {
    const { mail, result, answer, userSpeaks } = await handedBack(asks({ which: form("Delete everything?", {}) }));
    expect(wordsOf(result)).toContain("Only the user may agree");
    expect((await (await answer({ answers: {} })).told).isError).toBe(true);
    await userSpeaks();
    await answer({ answers: {} });
    expect(lastOf(mail).inputResponses).toEqual(accepted({}));
  });

  test("is declined without anybody", async () => {
    const { mail, answer } = await handedBack(asks({ which: SURE }));
    await answer({ decline: true });
    expect(lastOf(mail).inputResponses).toEqual({ which: { action: "decline" } });
  });
});

test("several forms of one round are one question, and its answer is taken apart", async () => {
  const to = form("To whom?", { name: { type: "string" } }, ["name"]);
  const from = form("From whom?", { name: { type: "string" } }, ["name"]);
  const { mail, result, answer } = await handedBack(asks({ to, from, which: MAILBOX }));
  for (const words of ["to.name", "from.name", '"mailbox"']) expect(wordsOf(result)).toContain(words);
  const { told } = await answer({ answers: { "to.name": "Bob", "from.name": "Ada", mailbox: "work" } });
  expect(lastOf(mail).inputResponses).toEqual({
    to: { action: "accept", content: { name: "Bob" } },
    from: { action: "accept", content: { name: "Ada" } },
    ...accepted({ mailbox: "work" }),
  });
  mail.calls[1]?.answer(text("sent"));
  const note = wordsOf(await told);
  for (const words of ['"To whom?" (fields "name")', '"From whom?" (fields "name")', '"Which mailbox?" (fields "mailbox")'])
    expect(note).toContain(words);
});
