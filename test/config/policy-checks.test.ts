/** Policies that cannot mean anything are refused with their place; those that may mean something later are warned of. */
import { expect, test } from "bun:test";
import { formatPlace } from "../../src/config/problems.ts";
import { broken, errorsOf, loaded } from "./fixture.ts";

const HASH = `sha256:${"0a".repeat(32)}`;
const servers = { mcpServers: { mail: { command: "mail", tools: { box: { operations: { param: "do" } } } } } };

const refused: [file: object, error: string][] = [
  [{ policy: { deny: ["web_serch"] } }, 'policy.deny[0]: names no built-in tool, alias or group (did you mean "web_search"?)'],
  [
    { policy: { allow: ["send_an_owl"] } },
    "policy.allow[0]: names no built-in tool, alias or group (tools of servers are written SERVER__TOOL)",
  ],
  [{ policy: { alsoAllow: ["group:webb"] } }, 'policy.alsoAllow[0]: there is no such group (did you mean "group:web"?)'],
  [{ policy: { hardDeny: ["exec:run"] } }, "policy.hardDeny[0]: the built-in tool exec has no operations"],
  [{ policy: { byClient: { Zed: { allow: ["grup:fs"] } } } }, "policy.byClient.Zed.allow[0]: names no built-in tool, alias or group"],
  [{ policy: { groups: { a: ["group:b"], b: ["exec", "group:a"] } } }, "policy.groups.a: holds itself: a, b, a"],
  [{ policy: { groups: { self: ["group:self"] } } }, "policy.groups.self: holds itself: self, self"],
  [{ policy: { groups: { web: ["exec"] } } }, "policy.groups.web: is the name of a built-in group (give it another one)"],
  [{ policy: { groups: { own: ["nothing_known"] } } }, "policy.groups.own[0]: names no built-in tool, alias or group"],
  [
    { policy: { rules: [{ name: "r", tool: "exek", action: "deny" }] } },
    'policy.rules[0].tool: names no built-in tool, alias or group (did you mean "exec"?)',
  ],
  [
    { policy: { rules: ["x", "x"].map((name) => ({ name, tool: "*", action: "warn" })) } },
    "policy.rules[1].name: another one has this name already (give each its own name)",
  ],
  [{ profiles: { own: { policy: { deny: ["group:mine"] } } } }, "profiles.own.policy.deny[0]: there is no such group"],
  [
    { policy: { groups: { a: ["group:b"], b: [] } }, profiles: { own: { policy: { groups: { b: ["group:a"] } } } } },
    "profiles.own.policy.groups.b: holds itself: b, a, b",
  ],
  [{ approvals: { approvers: ["anna"] } }, "approvals.approvers[0]: nobody can be this approver (known: operator, client)"],
  [
    { operators: [{ name: "ann", tokenHash: HASH, roles: ["view"] }], profiles: { own: { approvals: { approvers: ["ann"] } } } },
    "profiles.own.approvals.approvers[0]: this operator can decide nothing (give ann the role decide)",
  ],
  [
    { hooks: { preToolUse: [{ name: "h", type: "command", command: ["x"], matcher: "mail__(" }] } },
    "hooks.preToolUse[0].matcher: is no pattern: missing closing ): `mail__(` (patterns are RE2)",
  ],
  [
    { hooks: { preToolUse: [{ name: "h", type: "command", command: ["x"], matcher: "(?=a)" }] } },
    "hooks.preToolUse[0].matcher: is no pattern: invalid or unsupported Perl syntax: `(?=` (patterns are RE2)",
  ],
  [
    { policy: { classification: { assets: [{ match: "[", label: "x" }] } } },
    "policy.classification.assets[0].match: is no pattern: missing closing ]: `[` (patterns are RE2)",
  ],
  [{ policy: { rules: [{ name: "r", tool: "*", when: "path ==", action: "deny" }] } }, "policy.rules[0].when: is no expression: "],
  [{ hooks: { postToolUse: [{ name: "h", type: "command", command: ["x"], if: "(" }] } }, "hooks.postToolUse[0].if: is no expression: "],
];
test.each(refused)("%j is refused", (file, error) => {
  const [message] = errorsOf(file);
  expect(message).toStartWith(error);
});

test("the place is the line of the entry", () => {
  const { errors } = broken('{\n  "policy": {\n    "deny": [\n      "exec",\n      "group:nobody"\n    ]\n  }\n}');
  expect(errors.map((error) => formatPlace(error).replace(/^.*\//, ""))).toEqual(["toolcrib.jsonc:5:7"]);
});

test("every kind of name is accepted", () => {
  const names = [
    "mail__send",
    "MAIL__send",
    "mail__box:delete",
    "web_browse",
    "web_fetch",
    "bash",
    "file_system:write",
    "group:fs",
    "group:mcp",
  ];
  const { warnings } = loaded({
    ...servers,
    operators: [{ name: "ann", tokenHash: HASH, roles: ["decide"] }],
    policy: {
      allow: [...names, "group:mcp:mail", "group:mine"],
      groups: { mine: ["group:web", "exec"] },
      rules: [{ name: "r", tool: "*", action: "ask" }],
    },
    approvals: { approvers: ["operator", "client", "ann"] },
    profiles: { own: { policy: { deny: ["group:mine", "group:other"], groups: { other: ["wait"] } }, approvals: { approvers: [] } } },
    hooks: { preToolUse: [{ name: "h", type: "command", command: ["x"], matcher: "^mail__(send|box)$" }] },
  });
  expect(warnings).toEqual([]);
});

test("a server that is not there, or operations that are not, are warned of", () => {
  const { warnings } = loaded({ ...servers, policy: { deny: ["mial__send", "group:mcp:mial", "mail__send:now", "other__x"] } });
  const unknown = "names no server that is configured: it counts as soon as there is one";
  expect(warnings.map(({ path, message, hint }) => [path, message, hint])).toEqual([
    ["policy.deny[0]", unknown, 'did you mean "mail"?'],
    ["policy.deny[1]", unknown, 'did you mean "mail"?'],
    ["policy.deny[2]", "has an effect only if a tool has this whole name: `tools.send.operations` is not set", undefined],
    ["policy.deny[3]", unknown, undefined],
  ]);
});

test("where tools have their servers' own names, any name may be one", () => {
  expect(loaded({ bridge: { naming: "bare" }, policy: { deny: ["send"] } }).warnings).toEqual([]);
});
