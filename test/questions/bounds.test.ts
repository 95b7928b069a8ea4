/** How many questions may wait and for how long, what a round may hold, and what becomes of those that are over. */
import { describe, expect, test } from "bun:test";
import { REGISTRY } from "../../actors/address.ts";
import { OPEN_POLICY } from "../../actors/catalogue.ts";
import { openSealedStore } from "../../src/secrets/sealed.ts";
import { text } from "../harness.ts";
import { completed } from "../harness-options.ts";
import { asks, form, HANDBACK, handedBack, lastOf, MAILBOX, mailPlace, modernServer, questionIn, wordsOf } from "./fixture.ts";

const MINUTE = 60_000;
const HOME = { answers: { mailbox: "home" } };
const store = () => openSealedStore(":memory:", new Uint8Array(32).fill(1), Date.now);

describe("the ledger is full", () => {
  test("the sixth question of a session is declined to its server, and the call goes on", async () => {
    const { mail, place, ada, interrupted } = await mailPlace();
    for (let at = 0; at < 5; at++) expect(questionIn(await interrupted(asks({ which: MAILBOX })))).toMatch(/^q_/);
    const sixth = ada.call("mail__send", { to: "eve" });
    await place.settle();
    mail.calls[5]?.answer(asks({ which: MAILBOX }) as never);
    await place.settle();
    expect(lastOf(mail)).toMatchObject({ inputResponses: { which: { action: "decline" } }, requestState: "state-1" });
    mail.calls[6]?.answer(text("sent anyhow"));
    expect(wordsOf(await sixth)).toContain("bridge.maxPendingQuestionsPerSession");
    const other = await place.session("s_2");
    expect(questionIn(await interrupted(asks({ which: MAILBOX }), {}, other))).toMatch(/^q_/);
    expect([place.views.openQuestions(), place.failures]).toEqual([6, []]);
  });

  test("in all, too; nothing stays behind of what was turned down", async () => {
    const sealed = store();
    const limits = { questions: { perSession: 5, total: 1 } };
    const { mail, place, ada } = await handedBack(asks({ which: MAILBOX }), {}, { limits, sealed });
    void ada.call("mail__send", { to: "eve" });
    await place.settle();
    mail.calls[1]?.answer(asks({ which: MAILBOX }) as never);
    await place.settle();
    expect(lastOf(mail).inputResponses).toEqual({ which: { action: "decline" } });
    expect(sealed.names("question")).toHaveLength(1);
  });
});

describe("nobody answers", () => {
  test("the question expires, its call has done nothing, and what was kept is gone", async () => {
    const sealed = store();
    const { mail, place, id, answer, ada } = await handedBack(asks({ which: MAILBOX }), { handbackTtlMinutes: 1 }, { sealed });
    await place.clock.advance(MINUTE - 1);
    expect(place.views.question(id)?.status).toBe("open");
    await place.clock.advance(1);
    await place.settle();
    expect(place.views.question(id)?.status).toBe("expired");
    expect([place.views.doubts("ada"), sealed.names("question"), mail.calls.length]).toEqual([[], [], 1]);
    const late = await (await answer(HOME)).told;
    expect([late.isError, wordsOf(late).includes("nobody answered it in time")]).toEqual([true, true]);
    const status = wordsOf(await ada.call("call_status", { id: place.views.question(id)?.callId ?? "" }));
    expect(status).toContain("timeout");
    expect(mail.calls).toHaveLength(1);
  });

  test("its time is told in minutes, one at least", async () => {
    expect(wordsOf((await handedBack(asks({ which: MAILBOX }), { handbackTtlMinutes: 0.1 })).result)).toContain("open for 1 minute.");
    expect(wordsOf((await handedBack()).result)).toContain("open for 30 minutes.");
  });

  test("its agent hears of the end that it did not wait for, once", async () => {
    const { place, ada } = await handedBack(asks({ which: MAILBOX }), { handbackTtlMinutes: 1 });
    await place.clock.advance(MINUTE);
    await place.settle();
    expect(wordsOf(await ada.call("call_status"))).toContain("nothing was done");
    expect(wordsOf(await ada.call("call_status"))).not.toContain("nothing was done");
  });
});

describe("the rules change while a question waits", () => {
  const changed = async (elicitation: Partial<typeof HANDBACK>) => {
    const at = await handedBack();
    await at.place.configure({ mail: { elicitation: { ...HANDBACK, ...elicitation } } }, "d2");
    await at.place.settle();
    const refused = wordsOf(await (await at.answer(HOME)).told);
    return { ...at, refused, status: at.place.views.question(at.id)?.status };
  };

  test("to another way of answering: it is cancelled, and its call has done nothing", async () => {
    for (const mode of ["auto", "decline", "off"] as const) {
      const { mail, place, refused, status } = await changed({ mode });
      expect([status, mail.calls.length, place.views.doubts("ada")]).toEqual(["cancelled", 1, []]);
      expect(refused).toContain("the policy of its server has changed");
    }
  });

  test("to other bounds: it stays", async () => {
    const at = await handedBack();
    await at.place.configure({ mail: { elicitation: { ...HANDBACK, maxPerCall: 1, handbackTtlMinutes: 5 } } }, "d2");
    await at.answer(HOME);
    expect([at.place.views.question(at.id)?.status, at.mail.calls.length]).toEqual(["answered", 2]);
  });

  test("so that its server is no more: it is cancelled", async () => {
    const { mail, place, id, answer } = await handedBack();
    const builtin = { name: "builtin", id: "builtin", origin: "builtin", transport: "builtin" } as const;
    const without = { ...completed({}, {}), servers: [builtin], policies: { builtin: OPEN_POLICY } };
    await place.runtime.enter(REGISTRY, { type: "configure", digest: "d2", naming: "prefixed", ...without });
    await place.settle();
    expect(place.views.question(id)).toMatchObject({ status: "cancelled", reason: "its server was removed" });
    expect(wordsOf(await (await answer(HOME)).told)).toContain("its server was removed");
    expect(mail.calls).toHaveLength(1);
  });
});

describe("a round beyond a bound ends its call before anything of it is answered", () => {
  const ended = async (round: ReturnType<typeof asks>) => {
    const { mail, place, interrupted } = await mailPlace();
    const result = await interrupted(round);
    expect([mail.calls.length, place.views.openQuestions(), place.failures]).toEqual([1, 0, []]);
    expect(result).toMatchObject({ structuredContent: { error: { code: "execution_failed", certainty: "not_applied" } } });
    return wordsOf(result);
  };
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, MAILBOX]));

  test("more than 16 forms, a state of more than 256 KiB, a key that is none", async () => {
    expect(await ended(asks(many(17)))).toContain("requests-per-round");
    expect(await ended(asks({ which: MAILBOX }, "é".repeat(131_073)))).toContain("request-state-bytes");
    expect(await ended(asks({ [`${"k".repeat(257)}`]: MAILBOX }))).toContain("request-key");
  });

  test("exactly so much is fine", async () => {
    const state = "x".repeat(262_144);
    const { mail, answer } = await handedBack(asks(many(16), state), { maxPerCall: 16 });
    await answer({ decline: true });
    expect([Object.keys(lastOf(mail).inputResponses ?? {}).length, lastOf(mail).requestState === state]).toEqual([16, true]);
  });

  test("the eleventh round", async () => {
    const mail = modernServer();
    const { place, ada } = await mailPlace({ mode: "auto", defaults: { mailbox: "home" }, maxPerCall: 100 }, {}, mail);
    const result = ada.call("mail__send");
    for (let at = 0; at < 11; at++) {
      await place.settle();
      mail.calls[at]?.answer(asks({ which: MAILBOX }, `state-${at}`) as never);
    }
    expect(wordsOf(await result)).toContain("rounds-per-call");
    expect(mail.calls).toHaveLength(11);
  });

  test("a form that is too large is declined, and the others are answered", async () => {
    const large = form("x".repeat(8001), { size: { enum: ["s", "m"] } });
    const { mail, answer } = await handedBack(asks({ which: MAILBOX, large }));
    await answer(HOME);
    expect(lastOf(mail).inputResponses).toEqual({
      which: { action: "accept", content: { mailbox: "home" } },
      large: { action: "decline" },
    });
  });
});
