/** The limits of a profile through the kernel: what is counted, what survives a restart, what an agent is told. */
import { describe, expect, test } from "bun:test";
import { DEFAULT_POLICY, DEFAULT_PROFILE } from "../../actors/policy/defaults.ts";
import type { CallLimits } from "../../events/policy.ts";
import { fakeServer, harness, memoryLog, text } from "../harness.ts";

export const policyWith = (limits: Partial<CallLimits>) => ({
  profiles: { ...DEFAULT_POLICY.profiles, default: { ...DEFAULT_PROFILE, limits: { ...DEFAULT_PROFILE.limits, ...limits } } },
});
/** Answers every call at once with the same words, or with others each time. */
function prompt(words: (call: number) => string = () => "the same") {
  let calls = 0;
  const server = fakeServer(undefined, { call: async () => text(words(calls++)) });
  return { server, made: () => calls };
}
const errorOf = ({ structuredContent }: { structuredContent?: Record<string, unknown> }) =>
  structuredContent?.["error"] as Record<string, unknown> | undefined;

describe("calls of an hour", () => {
  test("are limited for each session, and what looks at calls does not count", async () => {
    const mail = prompt();
    const world = await harness({ servers: { mail: mail.server }, policy: policyWith({ callsPerHour: 2 }) });
    const ada = await world.session("s_1");
    const grace = await world.session("s_2", "grace");
    await ada.call("mail__act");
    await world.clock.advance(600_000);
    await ada.call("mail__act");
    for (let look = 0; look < 5; look++) expect((await ada.call("call_status")).isError).toBeUndefined();
    const refused = await ada.call("mail__act");
    expect(errorOf(refused)).toMatchObject({ code: "rate_limited", retryable: true, retryAfterMs: 3_000_000 });
    expect(refused.content[0]?.text).toContain("50 min");
    expect((await grace.call("mail__act")).isError).toBeUndefined();
    await world.clock.advance(3_000_000);
    expect((await ada.call("mail__act")).isError).toBeUndefined();
    expect(mail.made()).toBe(4);
  });

  test("are rebuilt from the log", async () => {
    const log = memoryLog();
    const policy = policyWith({ callsPerHour: 2 });
    const first = await harness({ servers: { mail: prompt().server }, policy, log });
    const ada = await first.session("s_1");
    await ada.call("mail__act");
    await ada.call("mail__act");
    const second = await harness({ servers: { mail: prompt().server }, policy, log });
    expect(errorOf(await (await second.session("s_1")).call("mail__act"))).toMatchObject({ code: "rate_limited", retryAfterMs: 3_600_000 });
  });
});

describe("the guard against circles", () => {
  const policy = policyWith({ spin: { repetition: 3, window: 6 } });

  test("stops the third call that would bring the same, by whatever way it is made", async () => {
    const mail = prompt();
    const world = await harness({ servers: { mail: mail.server }, policy });
    const ada = await world.session("s_1");
    await ada.call("mail__act", { a: 1 });
    await ada.call("mcp_invoke_tool", { server_name: "mail", tool_name: "act", arguments: { a: 1 } });
    expect(errorOf(await ada.call("mail__act", { a: 1 }))).toMatchObject({ code: "refused" });
    expect(mail.made()).toBe(2);
  });

  test("lets a call go on that brings something new each time", async () => {
    const mail = prompt((call) => `answer ${call}`);
    const world = await harness({ servers: { mail: mail.server }, policy });
    const ada = await world.session("s_1");
    for (let call = 0; call < 8; call++) expect((await ada.call("mail__act")).isError).toBeUndefined();
  });

  test("lets two of ten identical calls run that are made at once", async () => {
    const mail = fakeServer();
    const world = await harness({ servers: { mail }, policy });
    const ada = await world.session("s_1");
    const ten = Array.from({ length: 10 }, () => ada.call("mail__act"));
    await world.settle();
    for (const { answer } of mail.calls) answer(text("done"));
    const results = await Promise.all(ten);
    expect(mail.calls).toHaveLength(2);
    expect(results.filter(({ isError }) => !isError)).toHaveLength(2);
  });

  test("leaves no digest of results in the log where nobody asks for it", async () => {
    const digests = async (limits: Partial<CallLimits>) => {
      const world = await harness({ servers: { mail: prompt().server }, policy: policyWith(limits) });
      await (await world.session("s_1")).call("mail__act");
      return world.log.page({ after: 0, limit: 1000 }).filter(({ data }) => "resultDigest" in data || "counted" in data).length;
    };
    expect(await digests({})).toBe(0);
    expect(await digests({ spin: { repetition: 3, window: 6 } })).toBe(3);
  });
});

test("a tool that may be called once runs once when it is called twice at the same time", async () => {
  const mail = fakeServer();
  const world = await harness({ servers: { mail }, policies: { mail: { callOnce: ["act"] } } });
  const ada = await world.session("s_1");
  const both = [ada.call("mail__act"), ada.call("mail__act", { other: true })];
  await world.settle();
  expect(mail.calls).toHaveLength(1);
  mail.calls[0]?.answer({ kind: "result", result: { content: [{ type: "text", text: "no" }], isError: true } });
  await Promise.all(both);
  void ada.call("mail__act");
  await world.settle();
  expect(mail.calls).toHaveLength(2);
});
