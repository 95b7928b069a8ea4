/** The gates through the front door: what is refused, under which word, and what the log says of it. */
import { describe, expect, test } from "bun:test";
import { DEFAULT_PROFILE } from "../../actors/policy/defaults.ts";
import type { Policy, Rule } from "../../events/policy.ts";
import type { ServerPolicy } from "../../events/registry.ts";
import { fakeServer, harness, text, tool } from "../harness.ts";

const NOBODY = { ...DEFAULT_PROFILE.approvals, approvers: [] };
const send = {
  ...tool("send"),
  inputSchema: { type: "object", properties: { to: { type: "string" }, amount: { type: "integer" }, url: { type: "string" } } },
};

async function world(policy: Partial<Policy> = {}, server: Partial<ServerPolicy> = {}) {
  const bank = fakeServer([send, tool("look")]);
  const made = await harness({ servers: { bank }, policy, policies: { bank: server } });
  await made.settle();
  const session = await made.session("s_1");
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const asking = session.call(name, args);
    await made.settle();
    for (const { answer } of bank.calls.splice(0)) answer(text("done"));
    await made.settle();
    const { content, structuredContent } = await asking;
    const code: unknown = structuredContent?.error?.["code"];
    return code === undefined ? content.at(-1)?.text : String(code);
  };
  const said = () => {
    const ended = made.log.page({ after: 0, limit: 1_000 }).filter(({ type }) => type === "call.refused" || type === "call.requested");
    const data = (ended.at(-1)?.data ?? {}) as { verdicts?: { gate: string; outcome: string; rule: string }[] };
    return data.verdicts ?? [];
  };
  return { ...made, bank, call, said };
}
const rule = (more: Partial<Rule>): Rule => ({ name: "r", tool: "*", action: "deny", reason: "", ...more });
const profile = (more: Partial<typeof DEFAULT_PROFILE>) => ({ profiles: { default: { ...DEFAULT_PROFILE, ...more } } });

test("a plain call of the default profile says nothing of gates in the log", async () => {
  const { call, said } = await world();
  expect(await call("bank__send", { to: "bob" })).toBe("done");
  expect(said()).toEqual([]);
});

test("arguments that do not fit the tool's schema are refused before anything is sent, also through mcp_invoke_tool", async () => {
  const { call, said } = await world();
  expect(await call("bank__send", { to: 7 })).toBe("invalid_arguments");
  expect(said()).toMatchObject([{ gate: "schema", outcome: "deny" }]);
  expect(await call("mcp_invoke_tool", { server_name: "bank", tool_name: "send", arguments: { amount: "x" } })).toBe("invalid_arguments");
});

test("a guard refuses with words that teach", async () => {
  const options = { args: ["to"], allowedPrefixes: ["/shared"] };
  const { call } = await world({}, { argGuards: [{ handler: "path-prefix", tools: [], options }] });
  expect(await call("bank__send", { to: "/etc/passwd" })).toBe("invalid_arguments");
  expect(await call("bank__send", { to: "/shared/a" })).toBe("done");
});

describe("rules", () => {
  test("over arguments refuse, and the log names the rule while the agent does not hear of it", async () => {
    const rules = [rule({ name: "large-sums", tool: "bank__send", when: "amount > 1000", reason: "too much" })];
    const { call, said } = await world({ rules });
    expect(await call("bank__send", { amount: 1001 })).toBe("refused");
    expect(said()).toMatchObject([{ gate: "rule", outcome: "deny", rule: "large-sums", reason: "too much" }]);
    expect(await call("bank__send", { amount: 1000 })).toBe("done");
  });

  test("that cannot be judged count against the call when they deny, and not for it when they allow", async () => {
    expect(await (await world({ rules: [rule({ when: "amount > 1" })] })).call("bank__send", {})).toBe("refused");
    const allowing = { rules: [rule({ when: "amount > 1", action: "allow" })], ...profile({ autonomy: "supervised", approvals: NOBODY }) };
    expect(await (await world(allowing)).call("bank__send", {})).toBe("refused");
  });

  test.each([
    ["the more specific", [rule({ action: "deny" }), rule({ name: "s", tool: "bank__send", action: "allow" })], "done"],
    ["the more specific", [rule({ action: "allow" }), rule({ name: "s", tool: "bank__*", action: "deny" })], "refused"],
    ["of equals the stricter", [rule({ action: "allow" }), rule({ name: "s", action: "deny" })], "refused"],
    ["a server's group over all", [rule({ action: "deny" }), rule({ name: "s", tool: "group:mcp:bank", action: "warn" })], "done"],
  ] as const)("%s counts", async (_, rules, outcome) => {
    expect(await (await world({ rules: [...rules] })).call("bank__send")).toBe(outcome);
  });
});

test("hosts outside of the list are not named by any call", async () => {
  const { call, said } = await world({ egress: ["*.example.com", "other.example.org:8443"] });
  expect(await call("bank__send", { url: "https://api.example.com/x" })).toBe("done");
  expect(await call("bank__send", { url: "https://a.b.example.com/x" })).toBe("refused");
  expect(said()).toMatchObject([{ gate: "egress", outcome: "deny" }]);
  expect(await call("bank__send", { url: "https://other.example.org/" })).toBe("refused");
  expect(await call("bank__send", { url: "https://other.example.org:8443/" })).toBe("done");
});

test("neither does a key of its arguments, and what is in too many places to look at is refused", async () => {
  const { call, said } = await world({ egress: ["good.example"] });
  expect(await call("bank__send", { requests: { "https://evil.example/": {} } })).toBe("refused");
  const many = Array.from({ length: 100 }, (_, i) => `http://good.example:${i + 1}/`).join(" ");
  expect(await call("bank__send", { text: many })).toBe("done");
  expect(await call("bank__send", { text: `${many} http://evil.example/` })).toBe("refused");
  expect(said()).toMatchObject([{ gate: "egress", outcome: "deny", reason: "the host (too many) is not allowed" }]);
});

test("a port that addresses need not name is a port all the same", async () => {
  const { call } = await world({ egress: ["api.example.com:443"] });
  expect(await call("bank__send", { url: "https://api.example.com/x" })).toBe("done");
  expect(await call("bank__send", { url: "https://api.example.com:443/x" })).toBe("done");
  expect(await call("bank__send", { url: "http://api.example.com/x" })).toBe("refused");
});

test("labelled assets are hidden in what servers answer, under their label, and only where that is enforced", async () => {
  const classification = { assets: [{ match: "customer-[0-9]+", label: "P.I.I" }], actions: { "p.i.i": "redact" } } as const;
  const assets = [...classification.assets];
  const under = async (mode: "audit" | "enforce") => {
    const { bank, session, settle, log } = await world({ classification: { ...classification, assets, mode } });
    const told = (await session("s_2")).call("bank__look");
    await settle();
    const result = {
      content: [{ type: "text", text: "of customer-12, customer-13" }],
      structuredContent: { who: ["customer-12", "nobody"] },
    };
    bank.calls.splice(0)[0]?.answer({ kind: "result", result });
    const { content, structuredContent } = await told;
    return { text: content.at(-1)?.text, who: structuredContent?.["who"], log: JSON.stringify(log.page({ after: 0, limit: 1_000 })) };
  };
  const hidden = await under("enforce");
  expect(hidden.text).toMatch(/^of \[REDACTED p-i-i #[0-9a-f]{8}\], \[REDACTED p-i-i #[0-9a-f]{8}\]$/);
  expect(hidden.who).toEqual([expect.stringMatching(/^\[REDACTED p-i-i #/), "nobody"]);
  expect(hidden.log).not.toContain("customer-12");
  expect(await under("audit")).toMatchObject({ text: "of customer-12, customer-13", who: ["customer-12", "nobody"] });
});

test("three denials of one operation leave the others of its tool free", async () => {
  const operations = { send: { param: "to", capability: { bin: "mutating", box: "mutating" }, risk: {} } } as const;
  const { call, said } = await world({ rules: [rule({ tool: "bank__send", operation: "bin" })] }, { operations });
  for (let time = 0; time < 3; time++) expect(await call("bank__send", { to: "bin" })).toBe("refused");
  expect(await call("bank__send", { to: "BIN" })).toBe("refused");
  expect(said()).toMatchObject([{ gate: "denials" }]);
  expect(await call("bank__send", { to: "box" })).toBe("done");
});

test("what arguments name is no denial of the tool", async () => {
  const classification = { mode: "enforce", assets: [{ match: "salary", label: "HR" }], actions: { HR: "block" } } as const;
  const { call } = await world({ egress: ["api.example.com"], classification: { ...classification, assets: [...classification.assets] } });
  for (let time = 0; time < 3; time++) expect(await call("bank__send", { url: "https://evil.example.com/" })).toBe("refused");
  for (let time = 0; time < 3; time++) expect(await call("bank__send", { to: "salary" })).toBe("refused");
  expect(await call("bank__send", { url: "https://api.example.com/" })).toBe("done");
});

test("labelled assets are audited, or kept", async () => {
  const assets = [{ match: "^/finance/", label: "Secret" }];
  const classification = { assets, actions: { secret: "block" } } as const;
  const audit = await world({ classification: { ...classification, assets, mode: "audit" } });
  expect(await audit.call("bank__send", { to: "/finance/q3" })).toBe("done");
  expect(audit.said()).toMatchObject([{ gate: "classification", outcome: "warn", rule: "label:Secret" }]);
  const enforce = await world({ classification: { ...classification, assets, mode: "enforce" } });
  expect(await enforce.call("bank__send", { to: "/finance/q3" })).toBe("refused");
  expect(await enforce.call("bank__send", { to: "/home" })).toBe("done");
});

test.each([
  [{ autonomy: "restricted" }, {}, "bank__send", "refused"],
  [{ autonomy: "restricted" }, { capabilities: { look: "read" } }, "bank__look", "done"],
  [{ autonomy: "autonomous", riskCeiling: "medium" }, {}, "bank__send", "done"],
  [{ policy: { ...DEFAULT_PROFILE.policy, denyCapabilities: ["mutating"] } }, {}, "bank__send", "refused"],
  [{ policy: { ...DEFAULT_PROFILE.policy, denyCapabilities: ["mcp"] } }, { capabilities: { look: "read" } }, "bank__look", "refused"],
] as const)("a profile %j with %j: %s is %s", async (of, server, name, outcome) => {
  const { call } = await world(profile(of as Partial<typeof DEFAULT_PROFILE>), server as Partial<ServerPolicy>);
  expect(await call(name)).toBe(outcome);
});
