/** The order of a session's calls through the kernel: also with servers that will not take them, and over a restart. */
import { describe, expect, test } from "bun:test";
import { DEFAULT_POLICY, DEFAULT_PROFILE } from "../../actors/policy/defaults.ts";
import { fakeServer, harness, memoryLog, text } from "../harness.ts";

const limits = { ...DEFAULT_PROFILE.limits, parallelReads: 4, orderedWrites: true };
const policy = { profiles: { ...DEFAULT_POLICY.profiles, default: { ...DEFAULT_PROFILE, limits } } };
const policies = { mail: { capabilities: { look: "read", act: "mutating" } } } as const;

async function ordered(log = memoryLog()) {
  const mail = fakeServer();
  const world = await harness({ servers: { mail }, policy, policies, log });
  const ada = await world.session("s_1");
  const running = () => mail.calls.map(({ request }) => `${request.tool} ${request.arguments?.["n"]}`);
  return { ...world, mail, ada, running };
}

describe("a session that keeps an order", () => {
  test("lets a read run while another one sleeps, and shows a write to the reads after it", async () => {
    const { ada, mail, settle, running } = await ordered();
    void ada.call("mail__look", { n: 1 });
    void ada.call("mail__look", { n: 2 });
    void ada.call("mail__act", { n: 3 });
    void ada.call("mcp_invoke_tool", { server_name: "mail", tool_name: "look", arguments: { n: 4 } });
    void ada.call("mcp_invoke_tool", { server_name: "mail", tool_name: "act", arguments: { n: 5 } });
    await settle();
    expect(running()).toEqual(["look 1", "look 2", "act 3"]);
    mail.calls[2]?.answer(text("done"));
    await settle();
    expect(running().slice(3)).toEqual(["look 4", "act 5"]);
  });

  test("gives a call that waited the time that is left", async () => {
    const { ada, mail, clock, settle } = await ordered();
    void ada.call("mail__act", { n: 1 }, { timeoutMs: 100_000 });
    const waiting = ada.call("mail__act", { n: 2 }, { timeoutMs: 40_000 });
    const late = ada.call("mail__act", { n: 3 }, { timeoutMs: 10_000 });
    await clock.advance(10_000);
    expect((await late).structuredContent?.error).toMatchObject({ code: "timeout", certainty: "not_applied", retryable: true });
    await clock.advance(20_000);
    mail.calls[0]?.answer(text("done"));
    await settle();
    await clock.advance(9_999);
    expect(mail.calls).toHaveLength(2);
    await clock.advance(1);
    expect((await waiting).structuredContent?.error).toMatchObject({ code: "timeout", certainty: "in_doubt" });
  });

  test("goes on when its server refuses one call after the other", async () => {
    const { ada, settle, clock, failures, mail } = await ordered();
    const calls = Array.from({ length: 30 }, () => ada.call("mail__act", { n: 1 }));
    await settle();
    expect(mail.calls).toHaveLength(1);
    mail.crash(); // the first is in doubt: the others are its twins
    for (let round = 0; round < 30; round++) await clock.advance(1);
    const codes = (await Promise.all(calls)).map(({ structuredContent }) => structuredContent?.error?.["code"]);
    expect(codes).toEqual(["execution_failed", ...Array.from({ length: 29 }, () => "in_doubt")]);
    expect(failures).toEqual([]);
  });

  test("after a restart says of a call that waited that it was not sent", async () => {
    const log = memoryLog();
    const first = await ordered(log);
    void first.ada.call("mail__act", { n: 1 });
    void first.ada.call("mail__act", { n: 2 });
    await first.settle();
    const second = await ordered(log);
    const rows = log.query<{ certainty: string; code: string }>("select certainty, code from calls order by first_position");
    expect(rows).toEqual([
      { certainty: "in_doubt", code: "in_doubt" },
      { certainty: "not_applied", code: "cancelled" },
    ]);
    void second.ada.call("mail__act", { n: 3 });
    await second.settle();
    expect(second.mail.calls).toHaveLength(1);
  });
});
