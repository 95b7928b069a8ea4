/** What is sent to a chat endpoint, what becomes of its answers, and what of them is told. */
import { describe, expect, test } from "bun:test";
import { createLlm } from "../../src/llm/client.ts";
import type { Endpoint } from "../../src/llm/tiers.ts";
import { fakeClock } from "../fake-clock.ts";
import { type ChatEndpoint, chatAnswer, serveChat } from "../fixtures/chat-endpoint.ts";

const KEY = "sk-canary-0123456789";
const TIMEOUT_MS = 60_000;
const prompt = { system: "Be brief.", user: "Say it.", maxTokens: 50 } as const;

function llmAt(baseUrl: string, more: Partial<Endpoint> = {}) {
  const clock = fakeClock();
  const paused = Promise.withResolvers<number>();
  const after = (ms: number, callback: () => void) => {
    if (ms !== TIMEOUT_MS) paused.resolve(ms);
    return clock.after(ms, callback);
  };
  const llm = createLlm({ clock: { ...clock, after }, redact: (text) => text.replaceAll(KEY, "[REDACTED]") });
  llm.configure({ low: { baseUrl, model: "small", apiKey: KEY, supportsImageInput: false, secrets: [], ...more } });
  const ask = (question: object = {}) => llm.complete({ tier: "low", ...prompt, timeoutMs: TIMEOUT_MS, ...question });
  /** How long it waits before it asks again; then the time passes. */
  const pause = async () => {
    const ms = await paused.promise;
    await clock.advance(ms);
    return ms;
  };
  return { clock, llm, ask, pause };
}
type Say = Parameters<typeof serveChat>[0];
async function answerTo(say: Say) {
  using endpoint = serveChat(say);
  return await llmAt(endpoint.url).ask();
}
const refused = (status: number, message: string, more: object = {}) => Response.json({ error: { message, ...more } }, { status });
const untilAsked = async ({ asked }: ChatEndpoint) => {
  while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
};

describe("a question", () => {
  test("is one request with the key, the model and both texts", async () => {
    using endpoint = serveChat(() => " It is said. ");
    expect(await llmAt(endpoint.url).ask()).toEqual({ ok: true, text: "It is said." });
    expect(endpoint.asked).toEqual([
      {
        path: "/v1/chat/completions",
        authorization: `Bearer ${KEY}`,
        model: "small",
        system: "Be brief.",
        user: "Say it.",
        rest: { max_tokens: 50, stream: false },
      },
    ]);
  });

  test("goes out without a key where there is none; what stands behind the address stays", async () => {
    using endpoint = serveChat(() => "ok");
    const llm = createLlm({ clock: fakeClock(), redact: (text) => text });
    llm.configure({ high: { baseUrl: `${endpoint.url}/?version=3`, model: "m", supportsImageInput: false, secrets: [] } });
    await llm.complete({ tier: "high", ...prompt });
    expect(endpoint.asked[0]).toMatchObject({ path: "/v1/chat/completions?version=3", authorization: null });
  });

  test("for a tier that is not configured goes nowhere, also not to another one", async () => {
    using endpoint = serveChat(() => "ok");
    expect(await llmAt(endpoint.url).ask({ tier: "high" })).toEqual({ ok: false, reason: "the tier high is not configured" });
    expect(endpoint.asked).toEqual([]);
  });

  test("names its limit as newer models want it where the endpoint says so", async () => {
    using endpoint = serveChat((_, count) =>
      count === 1 ? refused(400, "Use 'max_completion_tokens' instead.", { param: "max_tokens" }) : "ok",
    );
    expect(await llmAt(endpoint.url).ask()).toEqual({ ok: true, text: "ok" });
    expect(endpoint.asked[1]?.rest).toEqual({ max_completion_tokens: 50, stream: false });
  });
});

describe("an answer", () => {
  test("is told without what the model thought first", async () => {
    expect(await answerTo(() => "<think>Hm. </think>\nYes.")).toEqual({ ok: true, text: "Yes." });
  });

  test.each<[what: string, say: Say, reason: string]>([
    ["nothing", () => "  ", "the model answered nothing"],
    ["no text", () => chatAnswer(null), "the endpoint's answer holds no text: is it an OpenAI-compatible chat endpoint?"],
    ["no JSON", () => new Response("<html>"), "the endpoint's answer holds no text: is it an OpenAI-compatible chat endpoint?"],
    ["more than 64 KiB", () => "x".repeat(70_000), "it answered with more than 64 KiB"],
    ["a redirect", () => new Response(null, { status: 307, headers: { location: "/elsewhere" } }), "the endpoint answered 307"],
    ["a refusal", () => refused(404, "no such model"), "the endpoint answered 404: no such model"],
    [
      "a refusal of another kind",
      () => Response.json({ error: "no such model" }, { status: 404 }),
      "the endpoint answered 404: no such model",
    ],
    ["a refusal that shows the key", () => refused(400, `bad key ${KEY}`), "the endpoint answered 400: bad key [REDACTED]"],
    ["a refusal with lines", () => refused(400, "a\n\u001b[1mb"), "the endpoint answered 400: a \\u{1b}[1mb"],
    ["a long refusal", () => refused(400, "x".repeat(1000)), `the endpoint answered 400: ${"x".repeat(199)}…`],
    [
      "a refusal of the key",
      () => refused(401, "Incorrect key sk-can***789"),
      "the endpoint answered 401: its apiKey is missing or not accepted",
    ],
  ])("with %s is no answer", async (_, say, reason) => {
    expect(await answerTo(say)).toEqual({ ok: false, reason });
  });

  test("of an endpoint that is not there is none", async () => {
    const gone = serveChat(() => "ok");
    gone[Symbol.dispose]();
    expect(await llmAt(gone.url).ask()).toEqual({ ok: false, reason: expect.stringMatching(/^the endpoint cannot be reached \(\w+\)$/) });
  });
});

describe("a busy endpoint", () => {
  test.each([429, 500, 503])("that answers %d is asked once more", async (status) => {
    using endpoint = serveChat((_, count) => (count === 1 ? refused(status, "busy") : "ok"));
    const { ask, pause } = llmAt(endpoint.url);
    const [answer] = await Promise.all([ask(), pause()]);
    expect(answer).toEqual({ ok: true, text: "ok" });
  });

  test("is not asked a third time", async () => {
    using endpoint = serveChat(() => refused(503, "busy"));
    const { ask, pause } = llmAt(endpoint.url);
    const [answer] = await Promise.all([ask(), pause()]);
    expect(answer).toEqual({ ok: false, reason: "the endpoint answered 503: busy" });
    expect(endpoint.asked).toHaveLength(2);
  });

  test.each<[header: string | undefined, ms: number]>([
    [undefined, 1000],
    ["soon", 1000],
    ["0", 0],
    ["2.5", 2500],
    ["3600", 8000],
    [new Date(fakeClock().now() + 3000).toUTCString(), 3000],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
  ])("that says Retry-After: %p is asked again after %d ms", async (header, ms) => {
    const headers = header === undefined ? {} : { "retry-after": header };
    using endpoint = serveChat((_, count) => (count === 1 ? new Response("busy", { status: 429, headers }) : "ok"));
    const { ask, pause } = llmAt(endpoint.url);
    const [answer, waited] = await Promise.all([ask(), pause()]);
    expect([answer.ok, waited]).toEqual([true, ms]);
  });
});

describe("an answer that does not come", () => {
  const never = () => new Promise<string>(() => undefined);

  test("is not waited for longer than the time it has", async () => {
    using endpoint = serveChat(never);
    const { clock, ask } = llmAt(endpoint.url);
    const answer = ask({ timeoutMs: 5000 });
    await untilAsked(endpoint);
    await clock.advance(5000);
    expect(await answer).toEqual({ ok: false, reason: "no answer within 5000 ms" });
  });

  test("is given up when the caller does so, also in the pause before the second attempt", async () => {
    for (const say of [never, () => refused(429, "busy")]) {
      using endpoint = serveChat(say);
      const stop = new AbortController();
      const answer = llmAt(endpoint.url).ask({ signal: stop.signal });
      await untilAsked(endpoint);
      stop.abort();
      expect(await answer).toEqual({ ok: false, reason: "it was given up" });
    }
  });

  test("is not even asked for when the caller has given up before", async () => {
    using endpoint = serveChat(() => "ok");
    expect(await llmAt(endpoint.url).ask({ signal: AbortSignal.abort() })).toEqual({ ok: false, reason: "it was given up" });
    expect(endpoint.asked).toEqual([]);
  });
});
