/** Names in a policy that no tool has, judged when the tools of their server are known. */
import { expect, test } from "bun:test";
import { DEFAULT_POLICY, DEFAULT_PROFILE, OPEN_LAYER } from "../../actors/policy/defaults.ts";
import type { PolicyLayer } from "../../events/policy.ts";
import { unknownTools } from "../../src/config/unknown-tools.ts";

const offer = (server: string, tool: string, name = `${server}__${tool}`) =>
  ({ name, server, tool, hash: "h", capability: "mutating" }) as const;
const mail = {
  name: "mail",
  offers: [offer("mail", "send"), offer("mail", "box:old"), offer("mail", "x".repeat(60), "mail__xxx-12345678")],
};
const dotted = {
  name: "my.box",
  offers: [offer("my.box", "open", "my-box__open"), { ...offer("my.box", "greet"), kind: "prompt" as const }],
};
const servers = [mail, dotted, { name: "asleep", offers: [] }];
const said = (layer: Partial<PolicyLayer>) => unknownTools({ ...DEFAULT_POLICY, global: { ...OPEN_LAYER, ...layer } }, servers);

test.each([
  "mail__send",
  "MAIL__Send",
  "mail__send:now",
  "mail__box:old",
  "mail__box:old:wipe",
  `mail__${"x".repeat(60)}`,
  "mail__xxx-12345678",
  "my.box__open",
  "my-box__open",
  "my.box__greet-prompt",
  "group:mcp:mail",
  "group:mine",
  "asleep__anything",
  "elsewhere__send",
  "call_status",
  "mail__*",
])("%s is known, or nobody can tell", (name) => {
  expect(said({ deny: [name] })).toEqual([]);
});

test("a slip is told with its place and what was meant", () => {
  expect(said({ deny: ["mail__sent"], groups: { mine: ["my.box__opne", "mail__send"] } })).toEqual([
    'policy.deny: "mail__sent" names no tool that its server has; did you mean "mail__send"?',
    'policy.groups.mine: "my.box__opne" names no tool that its server has; did you mean "my-box__open"?',
  ]);
  expect(said({ byClient: { cli: { allow: ["mail__qqqqqqqqqqqq"] } } })).toEqual([
    'policy.byClient.cli.allow: "mail__qqqqqqqqqqqq" names no tool that its server has',
  ]);
});

test("rules and the lists of profiles are looked at too", () => {
  const lean = { ...DEFAULT_PROFILE, policy: { ...OPEN_LAYER, hardDeny: ["mail__burn"] } };
  const rules = [
    { name: "r1", tool: "mail__sned", action: "deny", reason: "" },
    { name: "r2", tool: "*", action: "ask", reason: "" },
  ] as const;
  const found = unknownTools({ ...DEFAULT_POLICY, rules: [...rules], profiles: { ...DEFAULT_POLICY.profiles, lean } }, servers);
  expect(found).toEqual([
    'policy.rules r1: "mail__sned" names no tool that its server has; did you mean "mail__send"?',
    expect.stringContaining('profiles.lean.policy.hardDeny: "mail__burn" names no tool that its server has'),
  ]);
});
