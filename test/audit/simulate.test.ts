/** Recorded calls under other rules. */
import { describe, expect, spyOn, test } from "bun:test";
import { DEFAULT_POLICY, DEFAULT_PROFILE, RESTRICTED_PROFILE } from "../../actors/policy/defaults.ts";
import { CallRefused } from "../../events/call.ts";
import type { Policy, Rule } from "../../events/policy.ts";
import type { ServerPolicy } from "../../events/registry.ts";
import { simulate } from "../../src/audit/simulate.ts";
import { parseDocument } from "../../src/config/jsonc.ts";
import { readPolicyFile } from "../../src/config/policy-file.ts";
import type { Reader } from "../../src/log/reader.ts";
import { fakeServer, harness, text, tool } from "../harness.ts";
import { batch, on } from "../log/fixture.ts";

type Call = readonly [name: string, args?: Record<string, unknown>];
interface World {
  readonly policy?: Partial<Policy>;
  readonly server?: Partial<ServerPolicy>;
  readonly secrets?: readonly { name: string; value: string }[];
}

/** The log of some calls of one session to `srv`, which answers each. */
async function logOf(calls: readonly Call[], { policy = {}, server: serverPolicy = {}, secrets = [] }: World = {}) {
  const server = fakeServer([tool("act"), tool("look", { readOnlyHint: true })]);
  const made = await harness({ servers: { srv: server }, policies: { srv: serverPolicy }, policy, secrets });
  const agent = await made.session("s1");
  for (const [name, args = {}] of calls) {
    const end = agent.ask(name, args);
    await made.settle();
    for (const { answer } of server.calls.splice(0)) answer(text("done"));
    await end;
  }
  await made.settle();
  return made.log;
}

function under(log: Reader, rules: object | string) {
  const bytes = new TextEncoder().encode(typeof rules === "string" ? rules : JSON.stringify(rules));
  const parsed = parseDocument("rules.jsonc", bytes);
  if ("problems" in parsed) throw new Error(JSON.stringify(parsed.problems));
  const read = readPolicyFile(parsed.document, "prefixed");
  if ("errors" in read) throw new Error(JSON.stringify(read.errors));
  return simulate(log, read.change);
}
/** `allowed->refused denyTools`, by call. */
const changes = (log: Reader, rules: object | string) =>
  under(log, rules).changed.map(({ tool: name, was, now, rule }) => `${name} ${was}->${now} ${rule}`);
const rule = (more: Partial<Rule>): Rule => ({ name: "r1", tool: "srv__act", action: "deny", reason: "", ...more });
const profiles = (over: Partial<Policy["profiles"][string]>): Policy["profiles"] => ({
  ...DEFAULT_POLICY.profiles,
  default: { ...DEFAULT_PROFILE, ...over },
});

describe("rules that are about the tool", () => {
  test("the same rules change nothing", async () => {
    const log = await logOf([["srv__act"], ["srv__look"], ["srv__none"], ["mcp_list_services"]], { policy: { rules: [rule({})] } });
    expect(under(log, {})).toEqual({
      calls: 4,
      changed: [],
      counts: {
        unchanged: 4,
        changed: 0,
        unknown: 0,
        was: { allowed: 2, refused: 2, asked: 0 },
        now: { allowed: 2, refused: 2, asked: 0 },
      },
    });
    expect(changes(log, { policy: { rules: [rule({})] } })).toEqual([]);
  });

  test("a call that was allowed is refused under a deny, and tells which and where", async () => {
    const log = await logOf([["srv__act"], ["srv__look"]]);
    const { changed } = under(log, { policy: { rules: [rule({ name: "no-act" })] } });
    const [row] = log.query<{ call: string }>("select call from calls order by call limit 1");
    expect(changed).toEqual([{ callId: row?.call ?? "", session: "s1", tool: "srv__act", was: "allowed", now: "refused", rule: "no-act" }]);
  });

  test("a key is replaced as a whole, the others stay", async () => {
    const log = await logOf([["srv__act"], ["srv__look"]], { policy: { rules: [rule({})] } });
    expect(changes(log, { policy: { egress: ["example.com"] } })).toEqual(["srv__act refused->allowed default-allow"]);
    expect(changes(log, { approvals: {} })).toEqual([]);
  });

  test("what was refused to a restricted profile is allowed to a looser one", async () => {
    const log = await logOf([["srv__act"]], { policy: { profiles: profiles(RESTRICTED_PROFILE) } });
    expect(changes(log, { profiles: { default: { autonomy: "autonomous" } } })).toEqual(["srv__act refused->allowed default-allow"]);
  });

  test("supervised asks about what was allowed, unless nobody could be asked", async () => {
    const log = await logOf([["srv__act"], ["srv__look"]]);
    const supervised = { default: { autonomy: "supervised" } };
    expect(changes(log, { profiles: supervised })).toEqual(
      ["act", "look"].map((name) => `srv__${name} allowed->asked autonomy:supervised`),
    );
    expect(changes(log, { profiles: supervised, approvals: { approvers: [] } })).toEqual(
      ["act", "look"].map((name) => `srv__${name} allowed->refused no_approver`),
    );
  });

  test("what was to be asked about stays so, and is allowed where nobody has to be asked", async () => {
    const world = { policy: { profiles: profiles({ autonomy: "supervised" }) } };
    const log = await logOf([["srv__act"]], world);
    expect(changes(log, {})).toEqual([]);
    expect(under(log, { profiles: { default: { autonomy: "autonomous" } } }).changed).toMatchObject([{ now: "allowed" }]);
  });

  test("servers' lists and settings are replaced too; one that the file leaves out has none", async () => {
    const world: World = { server: { deniedTools: ["look"], capabilities: { act: "read" } } };
    const log = await logOf([["srv__act"], ["srv__look"]], world);
    expect(changes(log, { mcpServers: { SRV: { deniedTools: ["act"] } } })).toEqual([
      "srv__act allowed->refused server-tool-lists",
      "srv__look refused->allowed default-allow",
    ]);
    expect(changes(log, { mcpServers: {}, profiles: { default: { autonomy: "restricted" } } })).toEqual([
      "srv__act allowed->refused autonomy:restricted",
    ]);
  });

  test("a call inside a management tool is refused with it", async () => {
    const log = await logOf([["mcp_invoke_tool", { server_name: "srv", tool_name: "act", arguments: {} }]]);
    expect(changes(log, {})).toEqual([]);
    const denied = under(log, { policy: { rules: [rule({})] } });
    expect(denied.changed).toMatchObject([{ tool: "srv__act", now: "refused" }]);
  });

  test("refusals by limits are not decided again", async () => {
    const limits = { ...DEFAULT_PROFILE.limits, callsPerHour: 1 };
    const log = await logOf([["srv__act"], ["srv__look"]], { policy: { profiles: profiles({ limits }) } });
    expect(changes(log, { limits: { callsPerHour: 0 }, profiles: {} })).toEqual([]);
    expect(under(log, { policy: { rules: [rule({ tool: "*" })] } }).changed).toMatchObject([{ tool: "srv__act" }]);
  });
});

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

test("neither the clock nor chance nor the world is asked", async () => {
  const log = await logOf([["srv__act", { amount: 1 }]]);
  const forbid = (what: string) => (): never => {
    throw new Error(`${what} was used`);
  };
  const stubs = [
    spyOn(Date, "now").mockImplementation(forbid("the clock")),
    spyOn(Math, "random").mockImplementation(forbid("chance")),
    spyOn(crypto, "getRandomValues").mockImplementation(forbid("chance")),
    spyOn(globalThis, "fetch").mockImplementation(Object.assign(forbid("the network"), { preconnect: forbid("the network") })),
    spyOn(Bun, "spawn").mockImplementation(forbid("a process")),
  ];
  try {
    expect(under(log, { policy: { rules: [rule({ when: "amount > 0" })] } }).changed).toHaveLength(1);
  } finally {
    for (const stub of stubs) stub.mockRestore();
  }
});
