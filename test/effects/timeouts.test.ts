/** How long a call may take: what decides it, what puts it off, and what a late answer still does. */
import { describe, expect, test } from "bun:test";
import { fakeServer, harness, text } from "../harness.ts";

const LIMITS = { defaultTimeoutMs: 1000, progressTimeoutMs: 2000, maxTimeoutMs: 10_000 };
const timeout = { code: "timeout", certainty: "in_doubt" };

async function world(policies: Parameters<typeof harness>[0] = {}) {
  const mail = fakeServer();
  const made = await harness({ servers: { mail }, limits: LIMITS, ...policies });
  const ada = await made.session("s_1");
  const heard: number[] = [];
  const onProgress = ({ progress }: { readonly progress: number }) => void heard.push(progress);
  return { ...made, mail, ada, heard, onProgress };
}

test.each([
  ["nothing is asked for", {}, false, undefined, 1000],
  ["progress is asked for", {}, true, undefined, 2000],
  ["the request names one", {}, true, 4000, 4000],
  ["the request names one above the cap", {}, false, 50_000, 10_000],
  ["the server has one", { toolTimeoutMs: 3000 }, false, undefined, 3000],
  ["the server has one, and the request too", { toolTimeoutMs: 3000 }, true, 4000, 3000],
  ["the server's is above the cap", { toolTimeoutMs: 50_000 }, false, undefined, 10_000],
] as const)("when %s, the deadline is so", async (_, policy, withProgress, timeoutMs, expected) => {
  const { ada, mail, settle, clock, log, onProgress } = await world({ policies: { mail: policy } });
  void ada.ask("mail__act", {}, { ...(withProgress && { onProgress }), ...(timeoutMs !== undefined && { timeoutMs }) });
  await settle();
  const dispatched = log.page({ after: 0, limit: 1000, stream: "server/mail" }).filter(({ type }) => type === "call.dispatched");
  expect(dispatched.map(({ data }) => (data as { readonly deadline: number }).deadline - clock.now())).toEqual([expected]);
  mail.calls[0]?.answer(text("done"));
});

describe("progress", () => {
  test("gives the call its time anew, counted from the last of it", async () => {
    const { ada, mail, settle, clock, onProgress, heard } = await world();
    const answer = ada.call("mail__act", {}, { onProgress });
    await settle();
    for (let step = 1; step <= 4; step++) {
      await clock.advance(1900);
      mail.calls[0]?.request.onProgress?.({ progress: step });
    }
    await clock.advance(1900);
    mail.calls[0]?.answer(text("at last"));
    expect((await answer).content[0]?.text).toBe("at last");
    expect(heard).toEqual([1, 2, 3, 4]);
  });

  test("that ends leaves the call its time once more, then it is in doubt", async () => {
    const { ada, mail, settle, clock, onProgress } = await world();
    const answer = ada.call("mail__act", {}, { onProgress });
    await settle();
    await clock.advance(1500);
    mail.calls[0]?.request.onProgress?.({ progress: 1 });
    await clock.advance(1999);
    expect(mail.calls).toHaveLength(1);
    await clock.advance(1);
    const { content, structuredContent } = await answer;
    expect(structuredContent?.error).toMatchObject(timeout);
    expect(content[0]?.text).toContain("no answer within 3500 ms");
  });

  test("without end does not help beyond the longest time that a call may take", async () => {
    const { ada, mail, settle, clock, onProgress } = await world();
    const answer = ada.call("mail__act", {}, { onProgress });
    await settle();
    for (let step = 1; step <= 30; step++) {
      await clock.advance(500);
      mail.calls[0]?.request.onProgress?.({ progress: step });
    }
    const { content, structuredContent } = await answer;
    expect(structuredContent?.error).toMatchObject(timeout);
    expect(content[0]?.text).toContain("no answer within 10000 ms");
  });

  test("writes nothing down", async () => {
    const { ada, mail, settle, log, onProgress } = await world();
    void ada.call("mail__act", {}, { onProgress });
    await settle();
    const before = log.head.position;
    for (let step = 1; step <= 5; step++) mail.calls[0]?.request.onProgress?.({ progress: step });
    await settle();
    expect(log.head.position).toBe(before);
  });

  test("is asked of the server only when the client asked for it", async () => {
    const { ada, mail, settle } = await world();
    void ada.call("mail__act");
    await settle();
    expect(mail.calls[0]?.request).not.toHaveProperty("onProgress");
  });

  test("of one call does not put off the deadline of one that waits for its slot", async () => {
    const { ada, mail, settle, clock, onProgress } = await world({ limits: { ...LIMITS, slotsPerServer: 1 } });
    void ada.call("mail__act", { n: 1 }, { onProgress });
    await settle();
    const waiting = ada.call("mail__act", { n: 2 });
    await clock.advance(900);
    mail.calls[0]?.request.onProgress?.({ progress: 1 });
    await clock.advance(100);
    expect((await waiting).structuredContent?.error).toMatchObject({ code: "timeout", certainty: "not_applied", retryable: true });
    expect(mail.calls).toHaveLength(1);
  });
});

test("a call that waited keeps what was left of its time, and progress gives it the whole of it", async () => {
  const { ada, mail, settle, clock, onProgress } = await world({ limits: { ...LIMITS, slotsPerServer: 1 } });
  void ada.call("mail__act", { n: 1 });
  await settle();
  const waited = ada.call("mail__act", { n: 2 }, { onProgress });
  await clock.advance(900);
  mail.calls[0]?.answer(text("first"));
  await settle();
  await clock.advance(1000);
  mail.calls[1]?.request.onProgress?.({ progress: 1 });
  await clock.advance(1900);
  mail.calls[1]?.answer(text("second"));
  expect((await waited).content[0]?.text).toBe("second");
});

test("an answer after the deadline resolves the doubt, and is told with the next result", async () => {
  const { ada, mail, settle, clock, views } = await world();
  const late = ada.call("mail__act", { n: 1 });
  await clock.advance(1000);
  expect((await late).structuredContent?.error).toMatchObject(timeout);
  expect(views.doubts()).toHaveLength(1);
  mail.calls[0]?.answer(text("done all the same"));
  await settle();
  expect(views.doubts()).toEqual([]);
  const next = ada.call("mail__act", { n: 2 });
  await settle();
  mail.calls[1]?.answer(text("next"));
  expect((await next).content.map(({ text: words }) => words).join("\n")).toContain("done all the same");
});

test("a time-out is no sign that the connection is broken", async () => {
  const { ada, clock, connections, types } = await world();
  const late = ada.call("mail__act");
  await clock.advance(1000);
  await late;
  expect(connections.of("mail")?.state).toBe("connected");
  expect(types("server/mail")).not.toContain("server.disconnected");
});
