/** Older servers that ask on the open connection, in the middle of a call. */
import { afterEach, describe, expect, test } from "bun:test";
import type { InBandQuestion, InputResponse } from "../../../src/mcp/downstream/downstream.ts";
import { serveFaulty } from "../../fixtures/servers/http-servers.ts";
import { accept, asking, askingOverStdio, olderOverHttp, olderOverStdio, running, stopAll } from "./asking-support.ts";
import { http, open, textOf, until } from "./support.ts";

afterEach(stopAll);

const ASKED = { elicitation: true };

/** Answers that the test gives by hand, in the order of the questions. */
function byHand() {
  const questions: (InBandQuestion & { answer(response: InputResponse): void })[] = [];
  const onQuestion = (question: InBandQuestion) => {
    const { promise, resolve } = Promise.withResolvers<InputResponse>();
    questions.push({ ...question, answer: resolve });
    return promise;
  };
  return { questions, onQuestion };
}

describe.each([
  ["HTTP", olderOverHttp],
  ["stdio", olderOverStdio],
] as const)("a server over %s", (_, start) => {
  test("asks, is answered, and then does its work", async () => {
    const { target, executed } = start();
    const { questions, onQuestion } = byHand();
    const { downstream } = await open(target, ASKED, onQuestion);
    expect(downstream.introduction.era).toBe("legacy");
    const answer = downstream.call(asking("send_mail", { to: "bob" }));
    await until(() => questions.length === 1);
    expect(questions[0]?.request).toEqual({
      method: "elicitation/create",
      params: {
        message: "Which mailbox?",
        requestedSchema: { type: "object", properties: { mailbox: { type: "string", enum: ["work", "home"] } }, required: ["mailbox"] },
      },
    });
    expect([questions[0]?.taskId, executed()]).toEqual([undefined, []]);
    questions[0]?.answer(accept({ mailbox: "home" }));
    expect(textOf(await answer)).toBe("mail to bob from home");
    expect(executed()).toEqual(["mail to bob from home"]);
  });

  test("hears who declines, and who is not there", async () => {
    const { target, executed } = start();
    const responses: InputResponse[] = [{ action: "decline" }, { action: "cancel" }];
    const { downstream } = await open(target, ASKED, async () => responses.shift() ?? { action: "cancel" });
    expect(textOf(await downstream.call(asking("send_mail")))).toBe("which: decline");
    expect(textOf(await downstream.call(asking("send_mail")))).toBe("which: cancel");
    expect(executed()).toEqual([]);
  });

  test("asks several times, and other calls go on meanwhile", async () => {
    const { questions, onQuestion } = byHand();
    const { downstream } = await open(start().target, ASKED, onQuestion);
    const answer = downstream.call(asking("interview", { rounds: 2 }));
    await until(() => questions.length === 1);
    expect(textOf(await downstream.call(asking("plain", { value: 1 })))).toBe("plain 1");
    questions[0]?.answer(accept({ word: "to" }));
    await until(() => questions.length === 2);
    questions[1]?.answer(accept({ word: "be" }));
    expect(textOf(await answer)).toBe("interviewed to be");
  });

  test("may take its question back", async () => {
    const { questions, onQuestion } = byHand();
    const { downstream } = await open(start().target, ASKED, onQuestion);
    const answer = downstream.call(asking("withdraw", { key: "k" }));
    await until(() => questions.length === 1);
    expect(questions[0]?.signal.aborted).toBe(false);
    await downstream.call(asking("release", { key: "k" }));
    await until(() => questions[0]?.signal.aborted === true);
    questions[0]?.answer(accept({ mailbox: "home" }));
    expect(textOf(await answer)).toBe("withdrawn");
  });

  test("takes its questions with it when the connection ends", async () => {
    const { questions, onQuestion } = byHand();
    const { downstream } = await open(start().target, ASKED, onQuestion);
    const answer = downstream.call(asking("send_mail"));
    await until(() => questions.length === 1);
    await downstream.close();
    expect(await answer).toMatchObject({ kind: "lost" });
    expect(questions[0]?.signal.aborted).toBe(true);
  });

  test("that asks too much at a time is declined unseen", async () => {
    const { questions, onQuestion } = byHand();
    const { downstream } = await open(start().target, ASKED, onQuestion);
    const answer = downstream.call(asking("many", { times: 100 }));
    await until(() => questions.length === 64);
    await downstream.call(asking("plain"));
    for (const question of questions) question.answer(accept({ mailbox: "home" }));
    expect(textOf(await answer)).toBe("accepted 64, declined 36");
  });

  test("is refused what nobody said it can ask for", async () => {
    const { questions, onQuestion } = byHand();
    const { downstream } = await open(start().target, {}, onQuestion);
    expect(textOf(await downstream.call(asking("sample")))).toStartWith("refused");
    expect(await downstream.call(asking("send_mail"))).toMatchObject({ kind: "rpc_error" });
    expect(questions).toEqual([]);
    const able = await open(start().target, ASKED, onQuestion);
    expect(textOf(await able.downstream.call(asking("sample")))).toStartWith("refused");
  });
});

test("a call that waits for an answer is not given up, and can be cancelled", async () => {
  const { questions, onQuestion } = byHand();
  const { downstream } = await open(olderOverHttp().target, ASKED, onQuestion);
  const abort = new AbortController();
  const answer = downstream.call({ ...asking("send_mail"), signal: abort.signal });
  await until(() => questions.length === 1);
  abort.abort("enough");
  await until(() => questions[0]?.signal.aborted === true);
  await downstream.close();
  expect(await answer).toMatchObject({ kind: "lost" });
});

test.each([
  [{ elicitation: true }, { elicitation: {} }],
  [{}, {}],
])("what is announced to an older server is forms or nothing (%j)", async (options, capabilities) => {
  const server = serveFaulty(() => new Response());
  const initialized: unknown[] = [];
  const spy = running({
    executed: () => [],
    fetch: async (request) => {
      const text = await request.clone().text();
      const body = text === "" ? {} : (JSON.parse(text) as { method?: string; params?: { capabilities?: unknown } });
      if (body.method === "initialize") initialized.push(body.params?.capabilities);
      return fetch(server.url, request);
    },
  });
  await open(http(spy.url), { ...options, tasks: true });
  expect(initialized).toEqual([capabilities]);
  await server.stop();
});

test("a modern server has no way to ask in between, and none is listened to", async () => {
  const { questions, onQuestion } = byHand();
  const { downstream } = await open(askingOverStdio().target, ASKED, onQuestion);
  expect(await downstream.call(asking("send_mail"))).toMatchObject({ kind: "input_required" });
  expect(questions).toEqual([]);
});
