/** A modern client shows its server's question itself: our request ends with it, and its retry brings the answers. */
import { describe, expect, test } from "bun:test";
import type { ClientAbilities } from "../../src/mcp/upstream/client-abilities.ts";
import { openSealedStore } from "../../src/secrets/sealed.ts";
import { memoryLog, text } from "../harness.ts";
import { asks, form, lastOf, MAILBOX, mailPlace, wordsOf } from "./fixture.ts";

const FORMS: ClientAbilities = { era: "modern", elicitation: true, tasks: false };
const AUTO = { mode: "auto" } as const;
const SURE = form("Really?", { sure: { type: "boolean" } }, ["sure"]);
const yes = (key = "which", content: object = { sure: true }) => ({ [key]: { action: "accept", content } });
interface Asked {
  readonly resultType?: string;
  readonly inputRequests?: Readonly<Record<string, unknown>>;
  readonly requestState?: string;
}

async function shown(round = asks({ which: SURE }), ...about: Parameters<typeof mailPlace>) {
  const [elicitation = {}, options, mail] = about;
  const at = await mailPlace({ ...AUTO, ...elicitation }, options, mail);
  const first = (await at.interrupted(round, { abilities: FORMS })) as Asked;
  /** The request again, with answers; its outcome is still to come. */
  const retry = async (inputResponses: object = yes(), more: object = {}, who = at.ada) => {
    const again = {
      abilities: FORMS,
      requestState: first.requestState ?? "",
      inputResponses: inputResponses as Record<string, unknown>,
      ...more,
    };
    const told = who.call("mail__send", { to: "bob" }, again);
    await at.place.settle();
    return { told };
  };
  return { ...at, first, retry };
}

describe("the question", () => {
  test("is the result of the request, in the server's own form and with a state of ours", async () => {
    const { first, place } = await shown();
    expect(first).toMatchObject({ resultType: "input_required", inputRequests: { which: SURE } });
    expect(first.requestState).not.toContain("state-1");
    expect(place.views.questions(0)).toMatchObject([{ way: "client", status: "open" }]);
  });

  test("is not shown for what defaults or the rules answer already, and these go with its answers", async () => {
    const secret = form("Password?", { password: { type: "string" } });
    const { mail, first, retry } = await shown(asks({ which: SURE, where: MAILBOX, secret }), { defaults: { mailbox: "home" } });
    expect(Object.keys(first.inputRequests ?? {})).toEqual(["which"]);
    await retry();
    expect(lastOf(mail).inputResponses).toEqual({ ...yes(), ...yes("where", { mailbox: "home" }), secret: { action: "decline" } });
  });

  test("goes to the agent instead where it is to be handed back, or where the client shows no forms", async () => {
    const handed = await shown(asks({ which: SURE }), { mode: "handback" });
    expect(handed.first.resultType).toBeUndefined();
    const { mail, place, interrupted } = await mailPlace(AUTO);
    void interrupted(asks({ which: SURE }), { abilities: { ...FORMS, elicitation: false } });
    await place.settle();
    await place.settle();
    expect(lastOf(mail).inputResponses).toEqual({ which: { action: "decline" } });
  });
});

describe("the retry", () => {
  test("resumes the call once; a second one hears of the same outcome", async () => {
    const { mail, place, retry } = await shown();
    const { told } = await retry();
    expect(lastOf(mail)).toMatchObject({ arguments: { to: "bob" }, inputResponses: yes(), requestState: "state-1" });
    const joined = await retry(yes("which", { sure: false }));
    mail.calls[1]?.answer(text("sent"));
    expect([wordsOf(await told), wordsOf(await joined.told)].every((words) => words.startsWith("sent"))).toBe(true);
    expect(wordsOf(await (await retry()).told)).toContain("sent");
    expect([mail.calls.length, place.failures]).toEqual([2, []]);
  });

  test("may be a person's decision without anybody having spoken; declining and closing the form decline", async () => {
    for (const action of ["decline", "cancel"]) {
      const { mail, retry } = await shown();
      await retry({ which: { action } });
      expect(lastOf(mail).inputResponses).toEqual({ which: { action: "decline" } });
    }
  });

  test("whose answers do not fit the form declines: a form was shown for them", async () => {
    for (const response of [{ action: "accept", content: { sure: "yes" } }, { action: "accept" }]) {
      const { mail, retry } = await shown();
      await retry({ which: response });
      expect(lastOf(mail).inputResponses).toEqual({ which: { action: "decline" } });
    }
  });

  test("without all answers, or with what is none, is asked again, and nothing is sent", async () => {
    const { mail, retry, first } = await shown(asks({ which: SURE, where: MAILBOX }));
    for (const some of [
      {},
      yes(),
      { toString: 1 },
      { ...yes(), where: "work" },
      { ...yes(), where: null },
      { ...yes(), where: { action: "maybe" } },
    ]) {
      const again = (await (await retry(some)).told) as Asked;
      expect([again.resultType, Object.keys(again.inputRequests ?? {})]).toEqual(["input_required", ["which", "where"]]);
    }
    expect([mail.calls.length, first.requestState === undefined]).toEqual([1, false]);
  });

  test("gets the next question of the server with another state; the old state leads there, too", async () => {
    const { mail, retry, first } = await shown();
    const { told } = await retry();
    mail.calls[1]?.answer(asks({ more: MAILBOX }, "state-2") as never);
    const next = (await told) as Asked;
    expect([next.resultType, next.requestState === first.requestState]).toEqual(["input_required", false]);
    const old = (await (await retry()).told) as Asked;
    expect([old.resultType, Object.keys(old.inputRequests ?? {})]).toEqual(["input_required", ["more"]]);
    await retry(yes("more", { mailbox: "work" }), { requestState: next.requestState });
    expect(lastOf(mail)).toMatchObject({ inputResponses: yes("more", { mailbox: "work" }), requestState: "state-2" });
  });

  test("with a state that was altered, is another agent's, or came with another tool is refused", async () => {
    const { mail, place, ada, first, retry } = await shown();
    const state = first.requestState ?? "";
    const eve = await place.session("s_9", "eve");
    const altered = state.slice(0, -2) + (state.endsWith("AA") ? "BB" : "AA");
    const refused = [
      await (await retry(yes(), { requestState: altered })).told,
      await (await retry(yes(), { requestState: "" })).told,
      await (await retry(yes(), {}, eve)).told,
      await ada.call("mcp_list_services", {}, { abilities: FORMS, requestState: state, inputResponses: yes() }),
    ];
    for (const { structuredContent } of refused) expect(structuredContent?.error).toMatchObject({ code: "invalid_arguments" });
    expect(mail.calls).toHaveLength(1);
    await retry();
    expect(mail.calls).toHaveLength(2);
  });

  test("still resumes the call after a restart of ours", async () => {
    const kept = { log: memoryLog(), sealed: openSealedStore(":memory:", new Uint8Array(32).fill(1), Date.now) };
    const { first } = await shown(asks({ which: SURE }), {}, kept);
    const { mail, place, ada } = await mailPlace(AUTO, kept);
    const again = { abilities: FORMS, requestState: first.requestState ?? "", inputResponses: yes() };
    const told = ada.call("mail__send", { to: "bob" }, again);
    await place.settle();
    expect(lastOf(mail)).toMatchObject({ arguments: { to: "bob" }, inputResponses: yes(), requestState: "state-1" });
    mail.calls[0]?.answer(text("sent"));
    expect(wordsOf(await told)).toContain("by the person at the client");
  });

  test("after the question has expired hears that nothing was done", async () => {
    const { mail, place, retry } = await shown(asks({ which: SURE }), { handbackTtlMinutes: 1 });
    await place.clock.advance(60_000);
    const late = await (await retry()).told;
    expect(late.structuredContent?.error).toMatchObject({ code: "timeout", certainty: "not_applied" });
    expect(mail.calls).toHaveLength(1);
  });
});
