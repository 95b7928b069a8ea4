/** Recorded calls under other rules that look at arguments, and under other hooks. */
import { describe, expect, test } from "bun:test";
import { CallRefused } from "../../events/call.ts";
import { fakeServer, harness, tool } from "../harness.ts";
import { batch, on } from "../log/fixture.ts";
import { type Call, changes, logOf, rule, under } from "./simulate-fixture.ts";

describe("rules that look at arguments", () => {
  const big = rule({ name: "big", when: "args.amount > 100" });
  const calls: readonly Call[] = [
    ["srv__act", { amount: 150 }],
    ["srv__act", { amount: 50 }],
    ["srv__look", { amount: 150 }],
  ];

  test("are judged over the recorded ones, whatever they were before", async () => {
    const log = await logOf(calls);
    expect(under(log, { policy: { rules: [big] } }).changed).toMatchObject([{ tool: "srv__act", now: "refused", rule: "big" }]);
    const other = await logOf(calls, { policy: { rules: [{ ...big, when: "args.amount < 100" }] } });
    expect(under(other, { policy: { rules: [big] } }).changed.map(({ was, now }) => `${was}->${now}`)).toEqual([
      "allowed->refused",
      "refused->allowed",
    ]);
  });

  test("an erased call is unknown where the arguments would count, and only there", async () => {
    const log = await logOf(calls);
    await log.erase({ session: "s1", by: "test", reason: "test", at: log.head.at });
    expect(under(log, { policy: { rules: [big] } }).counts).toMatchObject({ unchanged: 1, changed: 0, unknown: 2 });
    expect(under(log, { policy: { rules: [rule({})] } }).counts).toMatchObject({ changed: 2, unknown: 0 });
    expect(under(log, { policy: { egress: ["example.com"] } }).counts).toMatchObject({ unknown: 3 });
    expect(under(log, { policy: { rules: [rule({}), big] } }).counts).toMatchObject({ changed: 2, unknown: 0 });
  });

  test("what an unchanged rule was seen to be is used again, also when the arguments are erased", async () => {
    const log = await logOf(calls, { policy: { rules: [{ ...big, action: "warn" }] } });
    await log.erase({ session: "s1", by: "test", reason: "test", at: log.head.at });
    expect(under(log, { policy: { rules: [big] } }).counts).toMatchObject({ changed: 1, unknown: 0 });
  });

  test("an argument that is concealed is unknown to the rule that looks at it", async () => {
    const value = "correct-horse-battery";
    const log = await logOf([["srv__act", { token: value, amount: 150 }]], { secrets: [{ name: "TOKEN", value }] });
    const count = (when: string) => under(log, { policy: { rules: [{ ...big, when }] } }).counts;
    expect(count("args.token == 'x'")).toMatchObject({ unknown: 1 });
    expect(count("args.amount > 100")).toMatchObject({ changed: 1, unknown: 0 });
    expect(count("args.token == 'x' || amount > 100")).toMatchObject({ changed: 1, unknown: 0 });
    expect(count("amount > 200 && args.token == 'x'")).toMatchObject({ changed: 0, unknown: 0 });
  });

  test("hosts and labels are found in recorded arguments", async () => {
    const log = await logOf([
      ["srv__act", { to: "https://good.example.com/x" }],
      ["srv__act", { to: "https://evil.example.org/prod-db" }],
    ]);
    expect(changes(log, { policy: { egress: ["*.example.com"] } })).toEqual(["srv__act allowed->refused egress"]);
    const classification = { mode: "enforce", assets: [{ match: "prod-", label: "production" }], actions: { production: "ask" } };
    expect(changes(log, { policy: { classification } })).toEqual(["srv__act allowed->asked label:production"]);
  });

  test("guards look at recorded arguments, and at concealed ones in vain", async () => {
    const value = "/shared/correct-horse-battery";
    const log = await logOf(
      [
        ["srv__act", { path: "/etc/passwd" }],
        ["srv__act", { path: "/shared/a" }],
        ["srv__act", { path: value }],
      ],
      {
        secrets: [{ name: "PLACE", value }],
      },
    );
    const argGuards = [{ handler: "path-prefix", options: { args: ["path"], allowedPrefixes: ["/shared"] } }];
    const { changed, counts } = under(log, { mcpServers: { srv: { argGuards } } });
    expect(changed).toMatchObject([{ now: "refused", rule: "guard:path-prefix" }]);
    expect(counts).toMatchObject({ unchanged: 1, unknown: 1 });
  });

  test("rules about operations know those that the arguments name", async () => {
    const log = await logOf([
      ["srv__act", { action: "drop" }],
      ["srv__act", { action: "list" }],
    ]);
    const rules = [rule({ operation: "drop" })];
    const mcpServers = { srv: { tools: { act: { operations: { param: "action", risk: { drop: "high" } } } } } };
    expect(under(log, { policy: { rules }, mcpServers }).counts).toMatchObject({ changed: 1, unknown: 0 });
    await log.erase({ session: "s1", by: "test", reason: "test", at: log.head.at });
    expect(under(log, { policy: { rules }, mcpServers }).counts).toMatchObject({ changed: 0, unknown: 2 });
  });

  test("a tool that was hidden is judged by its schema", async () => {
    const typed = { ...tool("act"), inputSchema: { type: "object", properties: { n: { type: "number" } } } };
    const server = fakeServer([typed]);
    const { log, session } = await harness({ servers: { srv: server }, policies: { srv: { deniedTools: ["act"] } } });
    const agent = await session("s1");
    await agent.ask("srv__act", { n: "seven" });
    await agent.ask("srv__act", { n: 7 });
    expect(changes(log, { mcpServers: {} })).toEqual(["srv__act refused->allowed default-allow"]);
  });
});

describe("hooks are never run", () => {
  const hook = { name: "h1", matcher: "srv__act", type: "command", command: ["check"] };

  test("what a new one would say is unknown, where it would be asked and its word would count", async () => {
    const log = await logOf([["srv__act", { n: 1 }], ["srv__look"]]);
    expect(under(log, { hooks: { preToolUse: [hook] } }).counts).toMatchObject({ changed: 0, unknown: 1 });
    expect(under(log, { hooks: { preToolUse: [{ ...hook, if: "args.n > 1" }] } }).counts).toMatchObject({ unknown: 0 });
    expect(under(log, { hooks: { preToolUse: [hook] }, policy: { rules: [rule({})] } }).counts).toMatchObject({ changed: 1, unknown: 0 });
  });

  test("one that is the same keeps its word", async () => {
    const preToolUse = [
      { name: "h1", matcher: "srv__act", type: "command", digest: "d", timeoutMs: 1, onTimeout: "block", observe: false },
    ] as const;
    const log = await logOf([["srv__act"]], { policy: { preToolUse: [...preToolUse] } });
    expect(under(log, { policy: {} }).counts).toMatchObject({ unchanged: 1, unknown: 0 });
    expect(under(log, { hooks: { preToolUse: [hook] } }).counts).toMatchObject({ unknown: 1 });
  });

  test("its refusal stands, and falls with the hook", async () => {
    const preToolUse = [
      { name: "h1", matcher: "", type: "command", digest: "d", timeoutMs: 1, onTimeout: "block", observe: false },
    ] as const;
    const log = await logOf([], { policy: { preToolUse: [...preToolUse] } });
    const said = [{ gate: "hook", outcome: "deny", rule: "h1" }] as const;
    const refused = CallRefused({ call: "c_x", name: "srv__act", code: "refused", rule: "h1", verdicts: [...said] }, { arguments: {} });
    const command = { type: "ask", call: "c_x", name: "srv__act", digest: "", timeoutMs: 1 };
    const session = "session/s1";
    await log.append({ ...batch(log.head.turn + 1, session, [on(session, refused)]), at: log.head.at, command });
    expect(changes(log, { policy: {} })).toEqual([]);
    expect(changes(log, { hooks: {} })).toEqual(["srv__act refused->allowed default-allow"]);
  });
});
