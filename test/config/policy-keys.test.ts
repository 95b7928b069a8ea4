/** Every key of what calls are judged by is accepted with a good value, and refuses a bad one by its path. */
import { expect, test } from "bun:test";
import { errorsOf, loaded } from "./fixture.ts";

const stdio = (more: object = {}) => ({ mcpServers: { s: { command: "prog", ...more } } });

const good: [path: string, file: object, value: unknown][] = [
  ["limits.callsPerHour", { limits: { callsPerHour: 5 } }, 5],
  ["limits.parallelReads", { limits: { parallelReads: 4 } }, 4],
  ["limits.orderedWrites", { limits: { orderedWrites: true } }, true],
  ["limits.spin", { limits: { spin: { repetition: 3, window: 6 } } }, { repetition: 3, window: 6 }],
  ["limits.denials", { limits: { denials: { count: 1 } } }, { count: 1, windowMs: 600_000 }],
  ["limits.sessionsPerToken", {}, 1000],
  ["limits.requestsPerMinute", { limits: { requestsPerMinute: 60 } }, 60],
  ["policy.denyCapabilities", { policy: { denyCapabilities: ["mutating", "mcp"] } }, ["mutating", "mcp"]],
  ["profiles.own.riskCeiling", { profiles: { own: { riskCeiling: "low" } } }, "low"],
  ["approvals.timeoutMs", {}, 300_000],
  ["mcpServers.s.tools", stdio({ tools: { t: { risk: "high", callOnce: true } } }), { t: { risk: "high", callOnce: true } }],
  [
    "mcpServers.s.tools.t.operations",
    stdio({ tools: { t: { operations: { param: "action", capability: { read: "read" } } } } }),
    { param: "action", capability: { read: "read" }, risk: {} },
  ],
];

test.each(good)("%s is read from %j", (path, file, value) => {
  const found = path.split(".").reduce<unknown>((inside, key) => Reflect.get(Object(inside), key), loaded(file).config);
  expect(found).toEqual(value);
});

const bad: [file: object, error: string][] = [
  [
    { profiles: { own: { autonomy: "restrict" } } },
    'profiles.own.autonomy: expected one of restricted, supervised, autonomous (did you mean "restricted"?)',
  ],
  [{ profiles: { own: { results: {} } } }, "profiles.own.results: is not supported by this release yet (remove it, or comment it out)"],
  [{ profiles: { own: { policy: { denny: [] } } } }, 'profiles.own.policy.denny: is not a known key (did you mean "deny"?)'],
  [
    { profiles: { own: { color: 1 } } },
    "profiles.own.color: is not a known key (known here: wrapperMode, policy, autonomy, riskCeiling, approvals, limits)",
  ],
  [{ limits: { callsPerHour: -1 } }, "limits.callsPerHour: must be at least 0"],
  [{ limits: { spin: { window: 1.5 } } }, "limits.spin.window: expected a whole number, found a number"],
  [{ approvals: { strategy: "most" } }, "approvals.strategy: expected one of any, all, quorum"],
  [{ hooks: { preToolUse: [{ name: "h", type: "command" }] } }, "hooks.preToolUse[0].command: is required for a hook of type command"],
  [
    { hooks: { preToolUse: [{ name: "h", type: "http", url: "https://x.example", command: ["x"] }] } },
    "hooks.preToolUse[0].command: does not belong to a hook of type http",
  ],
  [{ hooks: { postToolUse: [{ name: "h", type: "script" }] } }, "hooks.postToolUse[0].type: expected one of command, http"],
  [
    { hooks: { preToolUse: [{ name: "h", type: "http", url: "https://x.example", timeoutMs: 60_000 }] } },
    "hooks.preToolUse[0].timeoutMs: must be at most 10000",
  ],
  [stdio({ tools: { t: { risk: "hi" } } }), "mcpServers.s.tools.t.risk: expected one of trivial, low, medium, high, critical"],
  [stdio({ tools: { t: { operations: { capability: {} } } } }), "mcpServers.s.tools.t.operations.param: is required"],
];

test.each(bad)("%j is refused", (file, error) => {
  expect(errorsOf(file)).toContain(error);
});
