/** What an agent was denied, in all its sessions, over restarts and in the audit. */
import { expect, test } from "bun:test";
import { DEFAULT_PROFILE } from "../../actors/policy/defaults.ts";
import type { Policy, Rule } from "../../events/policy.ts";
import { verifyDeep } from "../../src/audit/deep.ts";
import { denialReset } from "../../src/doors/denial-reset.ts";
import { fakeServer, harness, memoryLog, text, tool } from "../harness.ts";
import { hookOf } from "../system/hooks-fixture.ts";

const no: Rule = { name: "no", tool: "bank__send", action: "deny", reason: "" };

async function world(policy: Partial<Policy>, { log = memoryLog(), ...more }: Partial<Parameters<typeof harness>[0]> = {}) {
  const bank = fakeServer([tool("send")]);
  const made = await harness({ servers: { bank }, policy, log, ...more });
  const said = async (name: string, { agent = "ada", args = {} }: { agent?: string; args?: Record<string, unknown> } = {}) => {
    const asking = (await made.session(name, agent)).ask("bank__send", args);
    await made.settle();
    for (const { answer } of bank.calls.splice(0)) answer(text("done"));
    await made.settle();
    const { code, rule } = await asking;
    return rule ?? code ?? "done";
  };
  const reset = async (agent: string) => {
    const routes = denialReset({ runtime: made.runtime, position: () => made.log.head.position });
    const request = new Request(`http://x/v1/agents/${agent}/denials/reset`, { method: "POST" });
    return (await routes(request, new URL(request.url), { name: "dora", tokenHash: "", roles: ["decide"] }))?.json();
  };
  return { ...made, said, reset, sound: () => expect(verifyDeep(made.log, "test").mismatches).toEqual([]) };
}

test("denials count for the agent, whatever it calls its sessions, also after a restart, until they are forgiven", async () => {
  const log = memoryLog();
  const { said } = await world({ rules: [no] }, { log });
  for (const name of ["s_1", "s_2", "s_3"]) expect(await said(name)).toBe("no");
  expect(await said("s_4")).toBe("denial-limit");
  const after = await world({}, { log });
  await after.configure({}, "d2");
  expect(await after.said("s_5")).toBe("denial-limit");
  expect(await after.said("s_6", { agent: "bob" })).toBe("done");
  expect(await after.reset("ada")).toMatchObject({ tools: ["bank__send"] });
  expect(await after.said("s_1")).toBe("done");
  expect(await after.reset("ada")).toMatchObject({ tools: [] });
  after.sound();
});

test("a call that nobody denies leaves no more events behind than before", async () => {
  const { said, types } = await world({ rules: [no] });
  await said("s_1");
  expect(types("denials")).toEqual(["denial.counted"]);
  await said("s_2", { agent: "bob" });
  const plain = await world({});
  await plain.said("s_1");
  expect([plain.types("denials"), plain.types().slice(-4)]).toEqual([
    [],
    ["call.requested", "call.dispatched", "call.settled", "call.answered"],
  ]);
});

test("an operation that is denied once hooks were asked counts as that operation", async () => {
  const bank = { operations: { send: { param: "to", capability: { bin: "mutating", box: "mutating" }, risk: {} } } } as const;
  const rewritten = JSON.stringify({ decision: "rewrite", arguments: { to: "bin" } });
  const { said, sound } = await world(
    { preToolUse: [hookOf("look")], rules: [{ ...no, operation: "bin" }] },
    { policies: { bank }, runHook: async () => ({ kind: "output", text: rewritten }) },
  );
  for (const name of ["s_1", "s_2", "s_3"]) expect(await said(name, { args: { to: "box" } })).toBe("no");
  expect(await said("s_4", { args: { to: "box" } })).toBe("denial-limit");
  sound();
});

test("what people deny counts in every session; what nobody answers counts in none", async () => {
  const approvals = { ...DEFAULT_PROFILE.approvals, approvers: ["operator"], holdMs: 60_000, timeoutMs: 1_000 };
  const profiles = { default: { ...DEFAULT_PROFILE, approvals } };
  const ask: Rule = { ...no, name: "ask", action: "ask" };
  const { session, runtime, log, clock, settle, sound } = await world({ profiles, rules: [ask] });
  const asked = async (name: string, to: number) => {
    const end = (await session(name)).ask("bank__send", { to });
    await settle();
    const [open] = log.query<{ id: string }>("select id from approvals where status = 'pending'");
    return { end, id: open?.id };
  };
  for (let time = 0; time < 4; time++) {
    const { end, id } = await asked(`s_${time}`, time);
    expect(id).toBeString();
    await clock.advance(1_000);
    expect((await end).code).toBe("approval_pending");
  }
  for (let time = 4; time < 7; time++) {
    const { end, id } = await asked(`s_${time}`, time);
    await runtime.enter(`session/s_${time}`, { type: "vote", approval: id, by: "dora", channel: "rest", verdict: "deny" });
    expect((await end).code).toBe("approval_denied");
  }
  const { end, id } = await asked("s_8", 8);
  expect([id, (await end).rule]).toEqual([undefined, "denial-limit"]);
  sound();
});
