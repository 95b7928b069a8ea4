/** The rules change while a call has not been sent yet: whatever it waits for, nothing goes out that the rules of that moment forbid. */
import { describe, expect, test } from "bun:test";
import { DEFAULT_POLICY, DEFAULT_PROFILE } from "../../actors/policy/defaults.ts";
import type { Policy } from "../../events/policy.ts";
import type { ServerPolicy } from "../../events/registry.ts";
import type { HookReply } from "../../src/effects/hook-reply.ts";
import { fakeServer, harness, type memoryLog, text } from "../harness.ts";
import { errorOf, place, supervised } from "./approval-fixture.ts";
import { hookOf } from "./hooks-fixture.ts";

const ARGUMENTS = { to: "eve", path: "/etc/passwd", url: "https://evil.example/x" };
const rule = (action: "deny" | "ask", when?: string) => ({ name: "eve", tool: "mail__act", action, reason: "", ...(when && { when }) });
const profile = (more: Partial<typeof DEFAULT_PROFILE>): Partial<Policy> => ({
  profiles: { ...DEFAULT_POLICY.profiles, default: { ...DEFAULT_PROFILE, ...more } },
});
const inside = { handler: "path-prefix", tools: [], options: { args: ["path"], allowedPrefixes: ["/srv"] } };

interface Change {
  readonly policy?: Partial<Policy>;
  readonly servers?: Readonly<Record<string, Partial<ServerPolicy>>>;
  /** What the log names. */
  readonly by: string;
}
const CHANGES: Readonly<Record<string, Change>> = {
  "a rule that denies": { policy: { rules: [rule("deny")] }, by: "eve" },
  "a rule that denies by arguments": { policy: { rules: [rule("deny", "args.to == 'eve'")] }, by: "eve" },
  "a rule that asks by arguments": { policy: { rules: [rule("ask", "args.to == 'eve'")] }, by: "eve" },
  "other hosts": { policy: { egress: ["ok.example"] }, by: "egress" },
  "a guard": { servers: { mail: { argGuards: [inside] } }, by: "path-prefix" },
  "a hook": { policy: { preToolUse: [hookOf("late")] }, by: "hook:late" },
  "a label": {
    policy: { classification: { mode: "enforce", assets: [{ match: "eve", label: "people" }], actions: { people: "block" } } },
    by: "label:people",
  },
  "a tool that is withdrawn": { servers: { mail: { deniedTools: ["act"] } }, by: "server-tool-lists" },
};
const NO: HookReply = { kind: "blocked", words: "no" };

const rulesIn = (log: ReturnType<typeof memoryLog>) =>
  log
    .page({ after: 0, limit: 1000 })
    .flatMap(({ type, data }) => (type === "call.answered" ? [String((data as { rule?: string }).rule)] : []));

describe.each(Object.entries(CHANGES))("%s", (_, { policy = {}, servers = {}, by }) => {
  test("holds for a call that waits for a slot", async () => {
    const mail = fakeServer();
    const { session, settle, configure, log } = await harness({ servers: { mail }, limits: { slotsPerServer: 1 } });
    const { call } = await session("s_1");
    void call("mail__act", { first: true });
    await settle();
    const result = call("mail__act", ARGUMENTS);
    await settle();
    await configure(servers, "d2", policy);
    mail.calls[0]?.answer(text("done"));
    await settle();
    expect(errorOf(await result)).toMatchObject({ certainty: "not_applied" });
    expect(mail.calls).toHaveLength(1);
    expect(rulesIn(log)).toContainEqual(expect.stringContaining(by));
  });

  test("holds for a call that waits for earlier ones of its session", async () => {
    const mail = fakeServer();
    const ordered = profile({ limits: { ...DEFAULT_PROFILE.limits, orderedWrites: true } });
    const { session, settle, configure, log } = await harness({ servers: { mail }, policy: ordered });
    const { call } = await session("s_1");
    void call("mail__act", { first: true });
    await settle();
    const result = call("mail__act", ARGUMENTS);
    await settle();
    await configure(servers, "d2", { ...ordered, ...policy });
    mail.calls[0]?.answer(text("done"));
    await settle();
    expect(errorOf(await result)).toMatchObject({ code: "refused", certainty: "not_applied" });
    expect(mail.calls).toHaveLength(1);
    expect(rulesIn(log)).toContainEqual(expect.stringContaining(by));
  });

  test("holds for a call that people approve", async () => {
    const { asked, vote, configure, mail, log } = await place();
    const { result, id } = await asked(ARGUMENTS);
    await configure(servers, "d2", { ...supervised(), ...policy });
    await vote(id, "approve");
    expect(errorOf(await result)).toMatchObject({ code: "refused", certainty: "not_applied" });
    expect(mail.calls).toHaveLength(0);
    expect(rulesIn(log)).toContainEqual(expect.stringContaining(by));
  });

  test("holds for a call that a hook lets pass", async () => {
    const mail = fakeServer();
    const { promise, resolve } = Promise.withResolvers<HookReply>();
    const first = hookOf("first");
    const { session, settle, configure, views } = await harness({
      servers: { mail },
      policy: { preToolUse: [first] },
      runHook: ({ name }) => (name === "first" ? promise : Promise.resolve(NO)),
    });
    const { call } = await session("s_1");
    void call("mail__act", ARGUMENTS);
    await settle();
    await configure(servers, "d2", { ...policy, preToolUse: [first, ...(policy.preToolUse ?? [])] });
    resolve({ kind: "output", text: "" });
    await settle();
    expect(mail.calls).toHaveLength(0);
    expect(views.openCalls("s_1").every(({ status }) => status === "asking")).toBe(true);
  });
});

test("a rule that is taken away while people think about a call does not stand in its way", async () => {
  const strict = { ...supervised(), rules: [rule("deny", "args.to == 'eve'")] };
  const { asked, vote, configure, mail, result } = await asking(strict);
  await configure({}, "d3", supervised());
  await vote(asked, "approve");
  expect(mail.calls).toHaveLength(1);
  mail.calls[0]?.answer(text("done"));
  expect((await result).content).toMatchObject([{ text: "done" }]);
});

async function asking(then: Partial<Policy>) {
  const { asked, configure, ...rest } = await place();
  const { result, id } = await asked(ARGUMENTS);
  await configure({}, "d2", then);
  return { ...rest, configure, asked: id, result };
}

test("a call that people approved and that waits for a slot goes out although other rules changed", async () => {
  const mail = fakeServer();
  const { session, settle, configure, views, runtime } = await harness({
    servers: { mail },
    limits: { slotsPerServer: 1 },
    policy: supervised(),
    policies: { mail: { capabilities: { look: "read" } } },
  });
  const { call } = await session("s_1");
  void call("mail__look");
  void call("mail__act", ARGUMENTS);
  await settle();
  const [{ id } = { id: "" }] = views.approvals(0);
  await runtime.enter("session/s_1", { type: "vote", approval: id, by: "operator:root", channel: "rest", verdict: "approve", payload: {} });
  await configure({}, "d2", { ...supervised(), rules: [rule("deny", "args.to == 'mallory'")] });
  mail.calls[0]?.answer(text("done"));
  await settle();
  expect(mail.calls.map(({ request }) => request.tool)).toEqual(["look", "act"]);
});

test("a hook that was changed while it was asked is asked again, as it is now", async () => {
  const mail = fakeServer();
  const { promise, resolve } = Promise.withResolvers<HookReply>();
  const { session, settle, configure } = await harness({
    servers: { mail },
    policy: { preToolUse: [hookOf("one")] },
    runHook: ({ digest }) => (digest === "h1" ? promise : Promise.resolve(NO)),
  });
  const { call } = await session("s_1");
  const result = call("mail__act", ARGUMENTS);
  await settle();
  await configure({}, "d2", { preToolUse: [hookOf("one", { digest: "h2" })] });
  resolve({ kind: "output", text: "" });
  expect(errorOf(await result)).toMatchObject({ code: "refused" });
  expect(mail.calls).toHaveLength(0);
});

test("a call that a hook has turned into a write waits for its turn, and goes out, as a write", async () => {
  const mail = fakeServer();
  const operations = { param: "do", capability: { list: "read", drop: "mutating" }, risk: {} } as const;
  const ordered = profile({ limits: { ...DEFAULT_PROFILE.limits, orderedWrites: true } });
  const rewrite = JSON.stringify({ decision: "rewrite", arguments: { do: "drop" } });
  const { session, settle, log } = await harness({
    servers: { mail },
    policies: { mail: { operations: { act: operations } } },
    policy: { ...ordered, preToolUse: [hookOf("turn", { if: "args.do == 'list'" })] },
    runHook: () => Promise.resolve({ kind: "output", text: rewrite }),
  });
  const { call } = await session("s_1");
  void call("mail__act", { do: "drop" });
  await settle();
  void call("mail__act", { do: "list" });
  await settle();
  expect(mail.calls).toHaveLength(1);
  mail.calls[0]?.answer(text("done"));
  await settle();
  expect(mail.calls.map(({ request }) => request.arguments)).toEqual([{ do: "drop" }, { do: "drop" }]);
  const sent = log.page({ after: 0, limit: 1000 }).filter(({ type }) => type === "call.dispatched");
  expect(sent.map(({ data }) => (data as { capability: string }).capability)).toEqual(["mutating", "mutating"]);
});
