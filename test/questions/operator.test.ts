/** An operator who is named answers while the call waits for it, on an open connection and between two requests alike. */
import { describe, expect, test } from "bun:test";
import { openSealedStore } from "../../src/secrets/sealed.ts";
import { memoryLog, text } from "../harness.ts";
import { asks, form, lastOf, MAILBOX, mailPlace, modernServer, olderServer, wordsOf } from "./fixture.ts";

const OPERATOR = { mode: "auto", responder: "operator", responderTimeoutMs: 0 } as const;
const SURE = form("Really?", { sure: { type: "boolean" } }, ["sure"]);
const limits = { defaultTimeoutMs: 10_000 };

/** A call whose server asks, of either generation; `response` is what the server hears. */
async function waiting(kind: "modern" | "older", request = SURE, more: Parameters<typeof mailPlace>[1] = {}) {
  const sealed = openSealedStore(":memory:", new Uint8Array(32).fill(1), Date.now);
  const older = olderServer();
  const mail = kind === "older" ? older : modernServer();
  const left = new AbortController();
  const at = await mailPlace(OPERATOR, { limits, sealed, ...more }, mail);
  const result = at.ada.call("mail__send", { to: "bob" }, { signal: left.signal });
  await at.place.settle();
  const asked = kind === "older" ? older.ask(request) : undefined;
  if (!asked) mail.calls[0]?.answer(asks({ which: request }) as never);
  await at.place.settle();
  let heard: unknown;
  void asked?.answer.then((response) => {
    heard = response;
  });
  const [open] = at.place.views.questions(0);
  const answer = (given: { answers: unknown } | { decline: true }) =>
    at.place.questions.answer({ id: open?.id ?? "", given, by: "operator:eve" });
  const response = () => (kind === "older" ? heard : lastOf(mail).inputResponses?.["which"]);
  const status = () => at.place.views.question(open?.id ?? "")?.status;
  return { ...at, mail, sealed, result, left, open, answer, response, status, withdraw: () => asked?.withdraw() };
}
/** The request whose outcome ends the call. */
const finish = ({ mail }: { mail: ReturnType<typeof modernServer> }) => mail.calls.at(-1)?.answer(text("sent"));

describe.each(["modern", "older"] as const)("of a %s server", (kind) => {
  test("the question is in the list, the agent cannot answer it, and what the operator says counts, once", async () => {
    const at = await waiting(kind);
    expect(at.open).toMatchObject({ way: "operator", status: "open", message: "Really?" });
    await at.userSpeaks();
    const refused = await at.ada.call("mcp_answer", { question_id: at.open?.id, answers: { sure: true } });
    expect([refused.isError, at.status()]).toEqual([true, "open"]);
    expect(await at.answer({ answers: { sure: "perhaps" } })).toMatchObject({ ok: false, status: 422 });
    expect(await at.answer({ answers: { sure: true } })).toMatchObject({ ok: true, status: "answered" });
    await at.place.settle();
    expect(at.response()).toEqual({ action: "accept", content: { sure: true } });
    expect(await at.answer({ answers: { sure: false } })).toMatchObject({ ok: false, status: 409 });
    finish(at);
    expect(wordsOf(await at.result)).toContain("by an operator");
    expect([at.sealed.names("question"), at.place.failures]).toEqual([[], []]);
  });

  test("a refusal is heard", async () => {
    const at = await waiting(kind, MAILBOX);
    expect(await at.answer({ decline: true })).toMatchObject({ ok: true, status: "declined" });
    await at.place.settle();
    expect([at.response(), at.status()]).toEqual([{ action: "decline" }, "declined"]);
  });

  test("when nobody answers within the time of the call it is declined, and the call goes on", async () => {
    const at = await waiting(kind);
    await at.place.clock.advance(10_000);
    await at.place.settle();
    expect([at.response(), at.status()]).toEqual([{ action: "decline" }, "expired"]);
    await at.place.clock.advance(9_999);
    finish(at);
    const told = await at.result;
    expect([told.isError, wordsOf(told).includes("nobody answered in time")]).toEqual([undefined, true]);
    expect([at.place.views.doubts("ada"), at.place.failures]).toEqual([[], []]);
  });

  test("a call that is cancelled meanwhile takes its question with it", async () => {
    const at = await waiting(kind);
    at.left.abort("cancelled");
    await at.result;
    await at.place.settle();
    await at.place.settle();
    expect([at.status(), at.sealed.names("question")]).toEqual(["cancelled", []]);
    expect(await at.answer({ answers: { sure: true } })).toMatchObject({ ok: false, status: 409 });
    expect(at.mail.calls).toHaveLength(1);
  });

  test("it is declined where the ledger is full, without anybody waiting", async () => {
    const full = { defaultTimeoutMs: 10_000, questions: { perSession: 0, total: 0 } };
    const at = await waiting(kind, SURE, { limits: full });
    expect([at.open, at.response()]).toEqual([undefined, { action: "decline" }]);
    await at.place.clock.advance(10_000);
    expect((await at.result).structuredContent?.error).toMatchObject({ code: "timeout" });
  });

  test("it does not outlive the process", async () => {
    const log = memoryLog();
    const before = await waiting(kind, SURE, { log });
    const after = await mailPlace(OPERATOR, { limits, log, sealed: before.sealed });
    expect(after.place.views.question(before.open?.id ?? "")?.status).toBe("lapsed");
    expect(before.sealed.names("question")).toEqual([]);
    expect(after.place.views.doubts("ada")).toHaveLength(kind === "older" ? 1 : 0); // a modern one has nothing to go on with
  });
});

test("what its server withdraws is cancelled, and the call goes on", async () => {
  const at = await waiting("older");
  at.withdraw();
  await at.place.settle();
  await at.place.settle();
  expect([at.response(), at.status()]).toEqual([{ action: "cancel" }, "cancelled"]);
  finish(at);
  expect(wordsOf(await at.result)).toContain("took it back");
});

test("an operator who is not named is not waited for", async () => {
  const { mail, place, ada } = await mailPlace({ mode: "auto" });
  void ada.call("mail__send");
  await place.settle();
  mail.calls[0]?.answer(asks({ which: SURE }) as never);
  await place.settle();
  expect([lastOf(mail).inputResponses, place.views.questions(0)]).toEqual([{ which: { action: "decline" } }, []]);
});
