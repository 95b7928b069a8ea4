/** The policy that a configuration means. */
import { expect, test } from "bun:test";
import { CAREFUL_CALL_LIMITS, DEFAULT_APPROVALS, DEFAULT_CALL_LIMITS, DEFAULT_POLICY } from "../../actors/policy/defaults.ts";
import { Policy } from "../../events/policy.ts";
import { doorLimitsOf, policyOf } from "../../src/config/judged.ts";
import { serverPolicies } from "../../src/config/policy.ts";
import { redactedConfig } from "../../src/config/redacted.ts";
import { loaded } from "./fixture.ts";

const policy = (file: object) => policyOf(loaded(file).config);

test("without a word of it the policy is that of a log without one", () => {
  expect(policy({})).toEqual(DEFAULT_POLICY);
});

test("what is written is what the event holds, in the event's shape", () => {
  const written = {
    policy: {
      profile: "coding",
      allow: ["exec"],
      deny: ["wait"],
      alsoAllow: ["datetime"],
      hardDeny: ["edit"],
      denyCapabilities: ["mcp"],
      groups: { mine: ["exec"] },
      byClient: { Zed: { profile: "minimal" } },
      rules: [{ name: "r", tool: "*", operation: "delete", when: "true", action: "deny", reason: "no" }],
      egress: ["example.com"],
      classification: { mode: "audit", assets: [{ match: "x", label: "secret" }], actions: { secret: "block" } },
    },
    profiles: { own: { autonomy: "supervised", riskCeiling: "low", policy: { deny: ["exec"] } } },
  };
  const made = policy(written);
  const { rules, egress, classification, ...layer } = written.policy;
  expect(Policy.parse(made)).toEqual(made);
  expect(made).toMatchObject({ global: layer, rules, egress, classification });
  expect(made.global.byClient["Zed"]).toEqual({ profile: "minimal", allow: [] });
  expect(made.profiles["own"]).toMatchObject({ ...written.profiles.own, limits: DEFAULT_CALL_LIMITS, approvals: DEFAULT_APPROVALS });
});

test("a key of a profile replaces the top-level one, key by key", () => {
  const { profiles } = policy({
    limits: { callsPerHour: 10, spin: { repetition: 2, window: 9 }, denials: { count: 7 } },
    approvals: { approvers: ["operator"], holdMs: 5, timeoutMs: 9 },
    profiles: {
      own: { limits: { spin: { window: 4 }, orderedWrites: true }, approvals: { approvers: [], webhook: "https://x.example/hook" } },
      restricted: { limits: { callsPerHour: 1 } },
    },
  });
  expect(profiles["own"]?.limits).toEqual({
    callsPerHour: 10,
    parallelReads: 0,
    orderedWrites: true,
    spin: { repetition: 2, window: 4 },
    denials: { count: 7, windowMs: 600_000 },
  });
  expect(profiles["own"]?.approvals).toEqual({
    ...DEFAULT_APPROVALS,
    approvers: [],
    holdMs: 5,
    timeoutMs: 9,
    webhook: "https://x.example/hook",
  });
  expect(profiles["default"]?.limits.callsPerHour).toBe(10);
  // The built-in profiles set some limits themselves.
  expect(profiles["supervised"]?.limits).toEqual({ ...CAREFUL_CALL_LIMITS, denials: { count: 7, windowMs: 600_000 } });
  expect(profiles["restricted"]).toMatchObject({ autonomy: "restricted", limits: { callsPerHour: 1, parallelReads: 4 } });
});

test("a built-in profile may be changed by its name", () => {
  expect(policy({ profiles: { default: { autonomy: "supervised" } } }).profiles["default"]).toMatchObject({
    autonomy: "supervised",
    riskCeiling: "high",
  });
});

test("sessions and requests of a token follow its profile", () => {
  const { config } = loaded({ limits: { requestsPerMinute: 5 }, profiles: { own: { limits: { sessionsPerToken: 2 } } } });
  expect(doorLimitsOf(config, "own")).toEqual({ sessionsPerToken: 2, requestsPerMinute: 5 });
  expect(doorLimitsOf(config, "default")).toEqual({ sessionsPerToken: 1000, requestsPerMinute: 5 });
});

test("a hook is known by the digest of all that is written of it; one that is switched off is none", () => {
  const hook = { name: "h", type: "command", command: ["guard"] };
  const of = (...hooks: object[]) => policy({ hooks: { preToolUse: hooks } }).preToolUse;
  const [first] = of(hook);
  expect(first).toMatchObject({ name: "h", matcher: "", type: "command", timeoutMs: 5000, onTimeout: "block", observe: false });
  expect(of({ ...hook, command: ["other"] })[0]?.digest).not.toBe(first?.digest ?? "");
  expect(of({ ...hook, timeoutMs: 5000 })[0]?.digest).toBe(first?.digest ?? "");
  expect(of({ ...hook, enabled: false })).toEqual([]);
  expect(JSON.stringify(of(hook))).not.toContain("guard");
});

test("secrets in addresses of hooks and webhooks are masked wherever the configuration is written down", () => {
  const url = "https://ann:hunter2hunter2@x.example/hook";
  const { config } = loaded({
    approvals: { webhook: url },
    profiles: { own: { approvals: { webhook: url } } },
    hooks: { preToolUse: [{ name: "h", type: "http", url }] },
  });
  expect(JSON.stringify([policyOf(config), redactedConfig(config)])).not.toContain("hunter2hunter2");
});

test("settings of single tools become the server's policy", () => {
  const operations = { param: "do", capability: { list: "read" }, risk: { wipe: "critical" } };
  const tools = { a: { risk: "high" }, b: { callOnce: true }, c: { operations }, d: { capability: "read" } };
  expect(serverPolicies(loaded({ mcpServers: { s: { command: "x", tools } } }).config)["s"]).toEqual({
    allowedTools: [],
    deniedTools: [],
    capabilities: { d: "read" },
    trusted: false,
    risks: { a: "high" },
    callOnce: ["b"],
    operations: { c: operations as never },
  });
});
