/** Hooks that are slow, that fail, that nobody waits for, and people who are asked after them. */
import { describe, expect, test } from "bun:test";
import type { Hook } from "../../events/policy.ts";
import { createStop } from "../../src/mcp/stop.ts";
import { errorOf, hookOf, hookedWorld as world } from "./hooks-fixture.ts";

const never = () => "never" as const;

describe("a hook that does not answer in time", () => {
  test("blocks, and is not waited for any longer", async () => {
    const { ada, clock, sent, ended } = await world([hookOf("h", { timeoutMs: 2000 })], { h: never });
    const answer = ada.call("mail__act");
    await clock.advance(1999);
    expect(ended()).toBe(0);
    await clock.advance(1);
    expect(errorOf(await answer)).toMatchObject({ code: "refused", certainty: "not_applied" });
    expect(ended()).toBe(1);
    expect(sent).toEqual([]);
  });

  test("lets the call pass where the operator says so, which is recorded", async () => {
    const { ada, clock, sent, log } = await world([hookOf("h", { onTimeout: "allow" })], { h: never });
    const answer = ada.call("mail__act", { to: "grace" });
    await clock.advance(5000);
    expect(errorOf(await answer)).toBeUndefined();
    expect(sent).toEqual([{ to: "grace" }]);
    expect(log.page({ after: 0, limit: 1000 }).find(({ type }) => type === "call.checked")?.data).toMatchObject({
      verdicts: [{ gate: "hook", outcome: "warn", rule: "hook:h" }],
    });
  });

  test("has no more than ten seconds together with the others, whatever they say of time-outs", async () => {
    const slow: Partial<Hook> = { timeoutMs: 6000, onTimeout: "allow" };
    const { ada, clock, sent, inputs } = await world([hookOf("a", slow), hookOf("b", slow), hookOf("c")], { a: never, b: never });
    const answer = ada.call("mail__act");
    await clock.advance(6000);
    await clock.advance(4000);
    expect(errorOf(await answer)).toMatchObject({ code: "refused" });
    expect(inputs).toHaveLength(2);
    expect(sent).toEqual([]);
  });
});

describe("a hook that fails again and again", () => {
  test("is not asked for a minute: it blocks at once, and is then tried again", async () => {
    let answer: "failed" | "output" = "failed";
    const { ada, clock, inputs } = await world([hookOf("h")], { h: () => answer });
    for (let time = 0; time < 6; time++) expect(errorOf(await ada.call("mail__act"))).toMatchObject({ code: "refused" });
    expect(inputs).toHaveLength(5);
    await clock.advance(60_000);
    answer = "output";
    expect(errorOf(await ada.call("mail__act"))).toBeUndefined();
    expect(errorOf(await ada.call("mail__act"))).toBeUndefined();
    expect(inputs).toHaveLength(7);
  });

  test("or says no again and again is not asked for a minute about calls of that agent, and still about those of others", async () => {
    let decision = "block";
    const { ada, inputs, session, clock, sent } = await world([hookOf("h")], { h: () => ({ decision }) });
    for (let time = 0; time < 8; time++) expect(errorOf(await ada.call("mail__act", { time }))).toMatchObject({ code: "refused" });
    expect(inputs).toHaveLength(5);
    const grace = await session("s_2", "grace");
    await grace.call("mail__act");
    expect(inputs).toHaveLength(6);
    decision = "allow";
    expect(errorOf(await grace.call("mail__act"))).toBeUndefined();
    expect(errorOf(await ada.call("mail__act"))).toMatchObject({ code: "refused" });
    await clock.advance(60_000);
    expect(errorOf(await ada.call("mail__act"))).toBeUndefined();
    expect(sent).toHaveLength(2);
  });

  test("that says no now and then is asked each time", async () => {
    const { ada, inputs, clock } = await world([hookOf("h")], { h: () => "blocked" });
    for (let time = 0; time < 8; time++) {
      await ada.call("mail__act", { time });
      await clock.advance(15_000);
    }
    expect(inputs).toHaveLength(8);
  });

  test("takes nothing away from others while it fails for everybody: both are counted apart", async () => {
    const { ada, inputs, session } = await world([hookOf("h")], { h: ({ agent }) => (agent === "ada" ? "blocked" : "failed") });
    const grace = await session("s_2", "grace");
    for (let time = 0; time < 4; time++) {
      await ada.call("mail__act", { time });
      await grace.call("mail__act", { time });
    }
    expect(inputs).toHaveLength(8);
  });
});

test.each(["cancelled", "disconnected"])(
  "a call that is %s while hooks are asked about it is not sent, and the hook is ended",
  async (why) => {
    const { ada, settle, ended, sent, log, openCalls } = await world([hookOf("h")], { h: never });
    const stop = createStop();
    void ada.ask("mail__act", {}, { signal: stop.signal });
    await settle();
    stop.abort(why);
    await settle();
    expect(ended()).toBe(1);
    expect(openCalls.size).toBe(0);
    expect(sent).toEqual([]);
    expect(log.query("select status, certainty, code from calls")).toEqual([
      { status: "ended", certainty: "not_applied", code: "cancelled" },
    ]);
  },
);

test("so many calls at once ask sixteen hooks at a time", async () => {
  const { ada, settle, inputs, clock } = await world([hookOf("h")], { h: never });
  const answers = Array.from({ length: 20 }, (_, call) => ada.call("mail__act", { call }));
  await settle();
  expect(inputs).toHaveLength(16);
  await clock.advance(10_000);
  for (const answer of answers) expect(errorOf(await answer)).toMatchObject({ code: "refused" });
  expect(inputs).toHaveLength(20);
});

describe("people", () => {
  const rules = [{ name: "ask-boss", tool: "mail__act", action: "ask", reason: "" }] as const;

  test("are asked after the hooks, about the arguments as they left them", async () => {
    const rewrite = () => ({ decision: "rewrite", arguments: { to: "ada" } });
    const { ada, settle, runtime, sent, types, log } = await world([hookOf("h")], { h: rewrite }, { policy: { rules: [...rules] } });
    const answer = ada.call("mail__act", { to: "grace" });
    await settle();
    expect(types("session/s_1").slice(1)).toEqual(["call.requested", "call.checked", "approval.requested"]);
    const asked = log.page({ after: 0, limit: 1000 }).find(({ type }) => type === "approval.requested");
    expect(log.payload(asked?.position ?? 0)).toEqual({ to: "ada" });
    const approval = (asked?.data as { id: string } | undefined)?.id ?? "";
    await runtime.enter("session/s_1", { type: "vote", approval, by: "boss", channel: "rest", verdict: "approve" });
    expect(errorOf(await answer)).toBeUndefined();
    expect(sent).toEqual([{ to: "ada" }]);
  });

  test("are not asked about a call that a hook blocks", async () => {
    const { ada, types } = await world([hookOf("h")], { h: () => "blocked" }, { policy: { rules: [...rules] } });
    expect(errorOf(await ada.call("mail__act"))).toMatchObject({ code: "refused" });
    expect(types("session/s_1")).not.toContain("approval.requested");
  });
});

describe("after a call", () => {
  const told = (more: Partial<Hook> = {}) => ({ policy: { postToolUse: [hookOf("log", more)] } });

  test("hooks are told how it ended, when its answer is out already", async () => {
    const { ada, clock, inputs } = await world([], {}, told());
    const answer = await ada.call("mail__act", { to: "grace" });
    expect(answer.isError).toBeUndefined();
    expect(inputs).toHaveLength(0);
    await clock.advance(0);
    expect(inputs).toEqual([
      {
        event: "postToolUse",
        callId: expect.any(String),
        session: "s_1",
        agent: "ada",
        server: "mail",
        tool: "act",
        name: "mail__act",
        depth: 0,
        arguments: { to: "grace" },
        certainty: "answered",
        isError: false,
        durationMs: 0,
        result: { content: [{ type: "text", text: '{"to":"grace"}' }] },
      },
    ]);
  });

  test("a long result is cut, and no secret is told", async () => {
    const canary = "canary-0d9c1a2b3c4d";
    const { ada, clock, inputs } = await world([], {}, { ...told(), secrets: [{ name: "T", value: canary }] });
    await ada.call("mail__act", { body: `${canary} ${"x".repeat(70_000)}` });
    await clock.advance(0);
    expect(inputs[0]).toMatchObject({ isCut: true });
    expect(String(inputs[0]?.["result"]).length).toBe(65_536);
    expect(JSON.stringify(inputs)).not.toContain(canary);
  });

  test("nothing is told of a call that was not sent, and what fails is only counted", async () => {
    const { ada, clock, inputs, hookCounts } = await world(
      [hookOf("h", { matcher: "look" })],
      { h: () => "blocked", log: () => "failed" },
      told(),
    );
    await ada.call("mail__look");
    await clock.advance(0);
    expect(inputs).toHaveLength(1);
    await ada.call("mail__act");
    await clock.advance(0);
    expect(hookCounts()).toEqual([
      { labels: { event: "preToolUse", hook: "h", outcome: "block" }, value: 1 },
      { labels: { event: "postToolUse", hook: "log", outcome: "failed" }, value: 1 },
    ]);
  });
});
