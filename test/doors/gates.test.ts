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
