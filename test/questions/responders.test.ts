/** Who answers while the call is open: a model, the client's own person, an operator; how long they have, and what is told of it. */
import { describe, expect, test } from "bun:test";
import { DEFAULT_POLICY } from "../../actors/policy/defaults.ts";
import type { Question } from "../../src/calls/ask.ts";
import type { KernelOptions } from "../../src/system/kernel-options.ts";
import { text } from "../harness.ts";
import { asks, form, lastOf, MAILBOX, mailPlace, wordsOf } from "./fixture.ts";

type Elicit = NonNullable<Question["elicit"]>;
type Llm = NonNullable<KernelOptions["llm"]>;
const TIER = { url: "http://models.example/v1", model: "m" } as never;
/** Models that say this. */
function models(say: (prompt: string) => string | Promise<string>) {
  const prompts: string[] = [];
  const llm: Llm = {
    tiers: () => ({ low: TIER, balanced: TIER }),
    complete: async (prompt) => {
      prompts.push(JSON.stringify(prompt));
      return { ok: true, text: await say(JSON.stringify(prompt)) };
    },
  };
  return { llm, prompts };
}
const says = (content: object) => models(() => JSON.stringify({ action: "accept", content }));
const AUTO = { mode: "auto" } as const;
const SURE = form("Really?", { sure: { type: "boolean" } }, ["sure"]);
const never = () => new Promise<never>(() => undefined);

/** What the server of one call hears, whatever generation it is of. */
async function heard(...[elicitation, options, request, more]: [object, Parameters<typeof mailPlace>[1], object, Partial<Question>?]) {
  const at = await mailPlace({ ...AUTO, ...elicitation }, options);
  const result = at.interrupted(asks({ which: request as typeof MAILBOX }), more);
  await at.place.settle();
  await at.place.settle();
  return { ...at, result, response: () => lastOf(at.mail).inputResponses?.["which"] };
}

describe("a model", () => {
  test("that sees the arguments of the call answers, and that is told beside the result", async () => {
    const { llm, prompts } = says({ mailbox: "work" });
    const { mail, result, response } = await heard({}, { llm }, MAILBOX);
    expect(response()).toEqual({ action: "accept", content: { mailbox: "work" } });
    expect(prompts[0]).toContain("bob");
    mail.calls[1]?.answer(text("sent"));
    expect(wordsOf(await result)).toContain("by a language model");
  });

  test("decides nothing, and what it makes up is dropped", async () => {
    const { llm, prompts } = says({ sure: true });
    expect((await heard({}, { llm }, SURE)).response()).toEqual({ action: "decline" });
    expect(prompts).toEqual([]);
    const mixed = form("Which?", { size: { enum: ["s", "m"] }, sure: { type: "boolean" } });
    const both = says({ size: "m", sure: true, other: 1 });
    expect((await heard({}, both, mixed)).response()).toEqual({ action: "accept", content: { size: "m" } });
  });

  test("whose answer does not fit declines", async () => {
    for (const content of [{ mailbox: "office" }, {}, { mailbox: null }])
      expect((await heard({}, says(content), MAILBOX)).response()).toEqual({ action: "decline" });
  });

  test("that takes too long declines, and the time of the call stood still meanwhile", async () => {
    const { llm } = models(never);
    const limits = { defaultTimeoutMs: 10_000 };
    const { mail, place, result, response } = await heard({ responderTimeoutMs: 30_000 }, { llm, limits }, MAILBOX);
    await place.clock.advance(29_999);
    expect(mail.calls).toHaveLength(1);
    await place.clock.advance(1);
    await place.settle();
    expect(response()).toEqual({ action: "decline" });
    await place.clock.advance(9_999);
    mail.calls[1]?.answer(text("sent"));
    expect(wordsOf(await result)).toContain("nobody answered in time");
  });

  test("is not asked on when the call is cancelled: it ends, nothing was done", async () => {
    const left = new AbortController();
    const { mail, place, result } = await heard({}, models(never), MAILBOX, { signal: left.signal });
    left.abort("cancelled");
    await result;
    await place.settle();
    expect([mail.calls.length, place.views.doubts("ada"), place.failures]).toEqual([1, [], []]);
  });

  test("of the conversation is asked only where its server names it, for choices, after the user has spoken", async () => {
    const spoken = says({ mailbox: "home" });
    const named = { ...AUTO, responder: "conversation" };
    const at = await mailPlace(named, spoken);
    await at.userSpeaks("s_1", "from my home address, please");
    void at.interrupted(asks({ which: MAILBOX }));
    await at.place.settle();
    await at.place.settle();
    expect(lastOf(at.mail).inputResponses).toEqual({ which: { action: "accept", content: { mailbox: "home" } } });
    expect(spoken.prompts[0]).toContain("from my home address");
    expect((await heard(named, says({ mailbox: "home" }), MAILBOX)).response()).toEqual({ action: "decline" });
    const free = form("Name?", { name: { type: "string" } });
    expect((await heard(named, says({ name: "x" }), free)).response()).toEqual({ action: "decline" });
  });
});

describe("nobody", () => {
  test("is asked where the defaults say everything, or the rules say no", async () => {
    const { llm, prompts } = says({ mailbox: "work" });
    const covered = await heard({ defaults: { Mailbox: "home" } }, { llm }, MAILBOX);
    expect(covered.response()).toEqual({ action: "accept", content: { mailbox: "home" } });
    for (const rules of [
      { mode: "decline" },
      { maxPerCall: 0 },
      { deniedFields: ["MAILBOX"] },
      { deniedFields: ["mailbox"], defaults: { mailbox: "home" } },
    ])
      expect((await heard(rules, { llm }, MAILBOX)).response()).toEqual({ action: "decline" });
    const url = {
      method: "elicitation/create",
      params: { mode: "url", message: "Go there", url: "https://x.example", elicitationId: "1" },
    };
    expect((await heard({}, { llm }, url)).response()).toEqual({ action: "decline" });
    expect(prompts).toEqual([]);
  });

  test("takes the place of a responder that is named and not there", async () => {
    const { llm, prompts } = says({ mailbox: "work" });
    expect((await heard({ responder: "pigeon" }, { llm }, MAILBOX)).response()).toEqual({ action: "decline" });
    expect(prompts).toEqual([]);
  });

  test("is told of questions where they are off", async () => {
    const { mail, place, ada } = await mailPlace({ mode: "off" });
    void ada.call("mail__send");
    await place.settle();
    expect(lastOf(mail).accepts).toMatchObject({ questions: false });
    const other = await mailPlace(AUTO);
    void other.ada.call("mail__send");
    await other.place.settle();
    expect(lastOf(other.mail).accepts).toMatchObject({ questions: true });
  });

  test("can hand a question back to an agent that may not answer: whoever else is there is asked", async () => {
    const { llm } = says({ mailbox: "work" });
    const { global } = DEFAULT_POLICY;
    const rules = { llm, policy: { global: { ...global, deny: ["mcp_answer"] } } };
    expect((await heard({ mode: "handback" }, rules, MAILBOX)).response()).toEqual({ action: "accept", content: { mailbox: "work" } });
  });
});

describe("the person at an older client", () => {
  const shows = (say: Elicit) => {
    const forms: unknown[] = [];
    const elicit: Elicit = (asked) => {
      forms.push(asked.message);
      return say(asked);
    };
    return { elicit, forms };
  };

  test("is shown the form and may decide", async () => {
    const { elicit, forms } = shows(async () => ({ action: "accept", content: { sure: true } }));
    const { mail, result, response } = await heard({}, {}, SURE, { elicit });
    expect([forms, response()]).toEqual([["Really?"], { action: "accept", content: { sure: true } }]);
    mail.calls[1]?.answer(text("sent"));
    expect(wordsOf(await result)).toContain("by the person at the client");
  });

  test("is shown no secret that the server names in its question", async () => {
    const secrets = [{ name: "token", value: "open-sesame-1234" }];
    const asked: unknown[] = [];
    const elicit: Elicit = async (shown) => {
      asked.push(shown);
      return { action: "accept", content: { sure: true } };
    };
    const sure = { type: "boolean", title: "With open-sesame-1234?", description: "open-sesame-1234 or not" };
    const naming = form("Really with open-sesame-1234?", { sure }, ["sure"]);
    const { response } = await heard({}, { secrets }, naming, { elicit });
    expect(JSON.stringify(asked)).not.toContain("open-sesame-1234");
    expect(asked).toMatchObject([{ message: expect.stringMatching(/^Really with \[REDACTED /) }]);
    expect(response()).toEqual({ action: "accept", content: { sure: true } });
  });

  test("who declines, answers nothing, or what does not fit, declines", async () => {
    for (const say of [{ action: "decline" }, { action: "cancel" }, { action: "accept", content: { sure: "yes" } }, undefined] as const) {
      const { elicit } = shows(async () => say);
      expect((await heard({}, {}, SURE, { elicit })).response()).toEqual({ action: "decline" });
    }
  });

  test("is not asked when an earlier question of the call used up the bound", async () => {
    const { elicit, forms } = shows(async () => ({ action: "accept", content: { sure: true } }));
    const { mail, place } = await heard({ maxPerCall: 1 }, {}, SURE, { elicit });
    mail.calls[1]?.answer(asks({ again: SURE }) as never);
    await place.settle();
    expect([forms.length, lastOf(mail).inputResponses]).toEqual([1, { again: { action: "decline" } }]);
  });
});
