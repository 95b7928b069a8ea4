/** Hooks before a call, through the kernel: what they see, what they may change, and that nothing is sent while they say no. */
import { describe, expect, test } from "bun:test";
import { DEFAULT_POLICY, DEFAULT_PROFILE } from "../../actors/policy/defaults.ts";
import { memoryLog } from "../harness.ts";
import { type Answers, errorOf, hookOf, type Input, hookedWorld as world } from "./hooks-fixture.ts";

const CANARY = "canary-4f9a1c77e2d0";
const secrets = [{ name: "TOKEN", value: CANARY }];

describe("a hook", () => {
  test("hears of the call, and lets it pass by saying nothing", async () => {
    const { ada, inputs, sent, types } = await world([hookOf("h")], {});
    expect(errorOf(await ada.call("mail__act", { to: "grace" }))).toBeUndefined();
    expect(inputs).toEqual([
      {
        event: "preToolUse",
        callId: expect.any(String),
        session: "s_1",
        agent: "ada",
        server: "mail",
        tool: "act",
        name: "mail__act",
        depth: 0,
        arguments: { to: "grace" },
      },
    ]);
    expect(sent).toEqual([{ to: "grace" }]);
    expect(types("session/s_1").slice(1)).toEqual(["call.requested", "call.checked", "call.admitted", "call.answered"]);
  });

  test("is asked about the tools that it matches only", async () => {
    const hooks = [hookOf("named", { matcher: "look$" }), hookOf("conditional", { if: 'args.to == "grace" && server == "mail"' })];
    const { ada, inputs } = await world(hooks, {});
    await ada.call("mail__act", { to: "ada" });
    expect(inputs).toHaveLength(0);
    await ada.call("mail__act", { to: "grace" });
    expect(inputs).toHaveLength(1);
  });

  test("whose condition cannot be judged blocks", async () => {
    const { ada, inputs, sent } = await world([hookOf("h", { if: "args.amount > 3" })], {});
    expect(errorOf(await ada.call("mail__act", {}))).toMatchObject({ code: "refused", certainty: "not_applied" });
    expect(inputs.length + sent.length).toBe(0);
  });

  test.each([
    ["decides so", { decision: "block", reason: "no mail to them" }, "no mail to them"],
    ["exits with 2", "blocked", "not today"],
    ["fails", "failed", "a check of the operator blocks it"],
    ["says what cannot be read", { decision: "maybe" }, "a check of the operator blocks it"],
  ] as const)("that %s blocks the call: nothing is sent, and the agent hears why", async (_, said, words) => {
    const { ada, sent, types } = await world([hookOf("h")], { h: () => said });
    const answer = await ada.call("mail__act");
    expect(errorOf(answer)).toMatchObject({ code: "refused", certainty: "not_applied" });
    expect(answer.content[0]?.text).toContain(words);
    expect(answer.content[0]?.text).not.toContain("exited");
    expect(sent).toEqual([]);
    expect(types("server/mail")).not.toContain("call.dispatched");
  });

  test("sees no secret, and what it leaves alone is sent byte for byte", async () => {
    const redirect = ({ arguments: { to: _, ...rest } }: Input) => ({ decision: "rewrite", arguments: { ...rest, cc: "boss" } });
    const { ada, inputs, sent, log } = await world([hookOf("h")], { h: redirect }, { secrets });
    await ada.call("mail__act", { to: "grace", body: `Bearer ${CANARY}!` });
    expect(JSON.stringify(inputs)).not.toContain(CANARY);
    expect(sent).toEqual([{ body: `Bearer ${CANARY}!`, cc: "boss" }]);
    expect(log.payload(log.page({ after: 0, limit: 1000 }).find(({ type }) => type === "call.checked")?.position ?? 0)).toEqual({
      arguments: { body: expect.stringContaining("[REDACTED"), cc: "boss" },
    });
  });

  test("may move a marker of its input, and name no other", async () => {
    let marker = "";
    const answers: Answers = {
      h: ({ arguments: { body, to } }) => {
        if (to === "first") marker = String(body);
        return to === "first"
          ? { decision: "rewrite", arguments: { moved: `<${body}>` } }
          : { decision: "rewrite", arguments: { body: marker } };
      },
    };
    const { ada, sent } = await world([hookOf("h")], answers, { secrets });
    await ada.call("mail__act", { to: "first", body: CANARY });
    expect(sent).toEqual([{ moved: `<${CANARY}>` }]);
    expect(marker).toMatch(/^\[REDACTED /);
    expect(errorOf(await ada.call("mail__act", { to: "second", body: "plain" }))).toMatchObject({ code: "refused" });
    expect(sent).toHaveLength(1);
  });

  test("cannot lead a call past the gates: rewritten arguments are judged like others", async () => {
    const argGuards = [{ handler: "path-prefix", tools: [], options: { args: ["path"], allowedPrefixes: ["/home"] } }];
    const climb = () => ({ decision: "rewrite", arguments: { path: "/home/../etc/passwd" } });
    const { ada, sent, types } = await world([hookOf("h")], { h: climb }, { policies: { mail: { argGuards } } });
    expect(errorOf(await ada.call("mail__act", { path: "/home/a" }))).toMatchObject({ code: "invalid_arguments" });
    expect(errorOf(await ada.call("mail__act", { path: "/etc/a" }))).toMatchObject({ code: "invalid_arguments" });
    expect(sent).toEqual([]);
    expect(types("session/s_1").filter((type) => type === "call.checked")).toHaveLength(1);
  });

  test("that only observes can block, and not rewrite", async () => {
    const { ada, sent } = await world([hookOf("h", { observe: true })], {
      h: ({ arguments: { to } }) => (to === "eve" ? { decision: "block" } : { decision: "rewrite", arguments: {} }),
    });
    await ada.call("mail__act", { to: "grace" });
    expect(errorOf(await ada.call("mail__act", { to: "eve" }))).toMatchObject({ code: "refused" });
    expect(sent).toEqual([{ to: "grace" }]);
  });

  test("of a tool that is decided inside the turn is asked, too", async () => {
    const { ada } = await world([hookOf("h", { matcher: "^resolve_call$" })], { h: () => ({ decision: "block", reason: "ask me first" }) });
    const lost = await ada.ask("mail__act");
    const answer = await ada.call("resolve_call", { call: lost.call, outcome: "applied" });
    expect(answer.isError).toBe(true);
  });
});

test("a call that was interrupted while hooks were asked about it was not carried out", async () => {
  const log = memoryLog();
  const first = await world([hookOf("h")], { h: () => "never" }, { log });
  void first.ada.ask("mail__act");
  await first.settle();
  const second = await world([], {}, { log });
  expect(log.query("select status, certainty, code from calls")).toEqual([
    { status: "ended", certainty: "not_applied", code: "cancelled" },
  ]);
  expect((await second.ada.call("mail__look")).content[0]?.text).toContain("not");
  expect(second.sent).toHaveLength(1);
});

test("the policy may ask for nothing but hooks and still count calls", async () => {
  const limits = { ...DEFAULT_PROFILE.limits, callsPerHour: 1 };
  const policy = { profiles: { ...DEFAULT_POLICY.profiles, default: { ...DEFAULT_PROFILE, limits } } };
  const { ada, sent } = await world([hookOf("h")], {}, { policy });
  await ada.call("mail__act");
  expect(errorOf(await ada.call("mail__act"))).toMatchObject({ code: "rate_limited", retryAfterMs: 3_600_000 });
  expect(sent).toHaveLength(1);
});
