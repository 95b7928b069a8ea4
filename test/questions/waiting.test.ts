/** A call that waits for an answer: what it holds meanwhile, how it goes on, and how it ends. */
import { describe, expect, test } from "bun:test";
import { openSealedStore } from "../../src/secrets/sealed.ts";
import { memoryLog, text, tool } from "../harness.ts";
import { asks, form, handedBack, lastOf, MAILBOX, mailPlace, modernServer, questionIn, wordsOf } from "./fixture.ts";

const HOME = { answers: { mailbox: "home" } };
const MINUTE = 60_000;
const again = () => ({ log: memoryLog(), sealed: openSealedStore(":memory:", new Uint8Array(32).fill(1), Date.now) });
const READS = { rules: { capabilities: { send: "read" } } } as const;

describe("while it waits", () => {
  test("it holds no slot", async () => {
    const { mail, place, ada } = await handedBack(asks({ which: MAILBOX }), {}, { limits: { slotsPerServer: 1 } });
    const other = ada.call("mail__send", { to: "eve" });
    await place.settle();
    mail.calls[1]?.answer(text("sent to eve"));
    expect(wordsOf(await other)).toContain("sent to eve");
  });

  test("its time stands still, and it has all of it again with the answer", async () => {
    const { mail, place, answer } = await handedBack(asks({ which: MAILBOX }), {}, { limits: { defaultTimeoutMs: 10_000 } });
    await place.clock.advance(5 * MINUTE);
    const { told } = await answer(HOME);
    await place.clock.advance(9_999);
    mail.calls[1]?.answer(text("sent"));
    expect(wordsOf(await told)).toContain("sent");
  });

  test("nothing of it is in flight: a restart leaves it as it is, and it is not in doubt", async () => {
    const kept = again();
    const { id } = await handedBack(asks({ which: MAILBOX }), {}, kept);
    const { place } = await mailPlace({}, kept);
    expect([place.views.question(id)?.status, place.views.doubts("ada"), place.types().includes("call.settled")]).toEqual([
      "open",
      [],
      false,
    ]);
  });
});

describe("when its server is gone at the time of the answer", () => {
  test("the question stays open, and can be answered once the server is back", async () => {
    const { mail, place, id, answer } = await handedBack();
    const { connect } = mail;
    let count = 0;
    const attempts = () => count;
    mail.connect = (listener) => {
      count++;
      return connect(listener);
    };
    mail.reachable = false;
    mail.crash();
    const { told } = await answer(HOME);
    await place.clock.advance(6000);
    expect(wordsOf(await told)).toContain("not connected");
    expect(attempts()).toBeLessThan(10);
    expect([place.views.question(id)?.status, mail.calls.length]).toEqual(["open", 1]);
    mail.reachable = true;
    await place.clock.advance(MINUTE);
    await answer(HOME);
    expect([place.views.question(id)?.status, mail.calls.length]).toEqual(["answered", 2]);
  });
});

describe("an answer that has left", () => {
  test("and whose outcome does not come in time: that it arrived is said, and it is not given twice", async () => {
    const { mail, place, answer } = await handedBack(asks({ which: MAILBOX }), {}, { limits: { defaultTimeoutMs: 10_000 } });
    const { told } = await answer(HOME);
    await place.clock.advance(10_000);
    const late = await told;
    expect(late).toMatchObject({ isError: true, structuredContent: { error: { code: "timeout", certainty: "in_doubt" } } });
    expect(wordsOf(late)).toContain("did reach the call: do not give it again");
    expect(wordsOf(await (await answer(HOME)).told)).toContain("answered already");
    expect(mail.calls).toHaveLength(2);
  });

  test("not even with all the time that progress gives it", async () => {
    const limits = { defaultTimeoutMs: 10_000, maxTimeoutMs: 20_000 };
    const { mail, place, answer } = await handedBack(asks({ which: MAILBOX }), {}, { limits });
    const { told } = await answer(HOME, { onProgress: () => undefined });
    for (let at = 1; at <= 4; at++) {
      lastOf(mail).onProgress?.({ progress: at });
      await place.clock.advance(5000);
    }
    expect(wordsOf(await told)).toContain("did reach the call: do not give it again");
  });

  test("is waited for as long as its call goes on, however many rounds that takes", async () => {
    const limits = { defaultTimeoutMs: 10_000, maxTimeoutMs: 20_000 };
    const { mail, place, answer } = await handedBack(asks({ which: MAILBOX }), { defaults: { size: "m" }, maxPerCall: 10 }, { limits });
    const { told } = await answer(HOME);
    for (let round = 1; round <= 4; round++) {
      await place.clock.advance(9000);
      mail.calls[round]?.answer(asks({ size: form("Which size?", { size: { enum: ["s", "m"] } }) }) as never);
      await place.settle();
    }
    mail.calls[5]?.answer(text("sent"));
    expect(wordsOf(await told)).toContain("5 questions");
  });

  test("to a tool that only reads, too", async () => {
    const { place, interrupted, ada } = await mailPlace({}, { limits: { defaultTimeoutMs: 10_000 }, ...READS });
    const id = questionIn(await interrupted(asks({ which: MAILBOX })));
    const told = ada.call("mcp_answer", { question_id: id, ...HOME });
    await place.settle();
    await place.clock.advance(10_000);
    expect(wordsOf(await told)).toContain("did reach the call: do not give it again");
  });

  test("and is cut by our crash: the call is in doubt, the question answered, the same answer refused", async () => {
    const kept = again();
    const { id, answer } = await handedBack(asks({ which: MAILBOX }), {}, kept);
    await answer(HOME);
    const { mail, place, ada } = await mailPlace({}, kept);
    expect(place.views.question(id)?.status).toBe("answered");
    expect(place.views.doubts("ada").map(({ call }) => call)).toEqual([place.views.question(id)?.callId ?? ""]);
    const refused = await ada.call("mcp_answer", { question_id: id, ...HOME });
    expect([refused.isError, wordsOf(refused).includes("answered already"), mail.calls.length]).toEqual([true, true, 0]);
  });

  test("is not sent twice, whatever the server says of it", async () => {
    const inputSchema = { type: "object", properties: { timezone: { type: "string" } } } as const;
    const mail = modernServer([{ ...tool("send"), inputSchema }]);
    const { place, interrupted, ada } = await mailPlace({}, READS, mail);
    const id = questionIn(await interrupted(asks({ which: MAILBOX })));
    const told = ada.call("mcp_answer", { question_id: id, ...HOME });
    await place.settle();
    mail.calls[1]?.answer({
      kind: "result",
      result: { isError: true, content: [{ type: "text", text: "Missing required parameter: timezone" }] },
    });
    await place.settle();
    expect(mail.calls).toHaveLength(2);
    expect((await told).isError).toBe(true);
  });
});

describe("whoever answered leaves", () => {
  const gone = async (reason: string) => {
    const at = await handedBack();
    const left = new AbortController();
    const { told } = await at.answer(HOME, { signal: left.signal });
    left.abort(reason);
    await told;
    await at.place.settle();
    return at;
  };

  test("without a word: the call goes on, and its outcome is announced", async () => {
    const { mail, place, ada } = await gone("disconnected");
    expect(lastOf(mail).signal?.aborted).toBe(false);
    mail.calls[1]?.answer(text("sent after all"));
    await place.settle();
    expect(wordsOf(await ada.call("call_status"))).toContain("sent after all");
    expect(wordsOf(await ada.call("call_status"))).not.toContain("sent after all");
  });

  test("and says to stop: that is passed on", async () => {
    const { mail, place } = await gone("cancelled");
    expect(lastOf(mail).signal?.aborted).toBe(true);
    await place.clock.advance(5000);
    expect(place.views.doubts("ada")).toHaveLength(1);
  });
});

describe("the client leaves before the question is there", () => {
  test("it is announced with the next result, and can be answered", async () => {
    const { mail, place, ada } = await mailPlace();
    const left = new AbortController();
    const call = ada.call("mail__send", { to: "bob" }, { signal: left.signal });
    await place.settle();
    left.abort("disconnected");
    mail.calls[0]?.answer(asks({ which: MAILBOX }) as never);
    await call;
    await place.settle();
    const told = await ada.call("call_status");
    const id = questionIn(told);
    expect(wordsOf(told)).toContain("asks before it goes on");
    expect(wordsOf(await ada.call("mcp_list_services"))).not.toContain(id);
    void ada.call("mcp_answer", { question_id: id, ...HOME });
    await place.settle();
    expect(mail.calls).toHaveLength(2);
    expect(place.types().filter((type) => type === "outcome.noted")).toHaveLength(1);
  });

  test("having said to stop: its server is not answered, and nothing was done", async () => {
    const { mail, place, ada } = await mailPlace();
    const left = new AbortController();
    const call = ada.call("mail__send", { to: "bob" }, { signal: left.signal });
    await place.settle();
    left.abort("cancelled");
    await place.settle();
    mail.calls[0]?.answer(asks({ which: MAILBOX }) as never);
    await call;
    await place.settle();
    expect([mail.calls.length, place.views.openQuestions(), place.views.doubts("ada"), place.failures]).toEqual([1, 0, [], []]);
  });
});
