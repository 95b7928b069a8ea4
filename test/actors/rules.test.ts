/** Which of the operator's rules is about a call. */
import { expect, test } from "bun:test";
import { DEFAULT_POLICY, OPEN_LAYER } from "../../actors/policy/defaults.ts";
import { ruleFor } from "../../actors/policy/rules.ts";
import type { Rule } from "../../events/policy.ts";
import { offerOf } from "./shown-fixture.ts";

const rule = (tool: string, action: Rule["action"] = "deny", operation?: string): Rule => ({
  name: `${action} ${tool}`,
  tool,
  action,
  reason: "",
  ...(operation !== undefined && { operation }),
});
const policyOf = (...rules: Rule[]) => ({ ...DEFAULT_POLICY, global: { ...OPEN_LAYER, groups: { mine: ["mail__send"] } }, rules });
const send = offerOf("mail", { tool: "send" });
const browse = offerOf("builtin", { tool: "web_browse" });

test.each(["mail__send", "MAIL__send", "group:mcp", "group:mcp:Mail", "group:mine", "mail__*", "Mail__*", "*"])(
  "%s is about the tool",
  (tool) => {
    expect(ruleFor(policyOf(rule(tool)), send, {}, false)?.tool).toBe(tool);
  },
);
test.each(["web_fetch", "group:web", "web_browse", "web_*"])("%s is about the built-in tool", (tool) => {
  expect(ruleFor(policyOf(rule(tool)), browse, {}, false)?.tool).toBe(tool);
});
test.each(["mail__sen", "group:mcp:other", "group:web", "group:nobody", "mail__send:now"])("%s is about something else", (tool) => {
  expect(ruleFor(policyOf(rule(tool)), send, {}, false)).toBeUndefined();
});

test("the most specific counts, then the strictest", () => {
  const rules = [rule("*"), rule("group:mcp", "ask"), rule("group:mine", "warn"), rule("mail__send", "allow")];
  const left = () => ruleFor(policyOf(...rules), send, {}, false)?.action;
  expect(left()).toBe("allow");
  rules.pop();
  expect(left()).toBe("warn");
  rules.push(rule("group:mcp:mail", "deny"));
  expect(left()).toBe("deny");
});

test("an operation may stand behind the tool or beside it, in any spelling; a call that does not say which may be it", () => {
  for (const about of [rule("mail__send:Wipe"), rule("mail__send", "deny", "wipe"), rule("*", "deny", "wipe")]) {
    const of = (operation?: string) => ruleFor(policyOf(about), send, operation === undefined ? {} : { operation }, true)?.action;
    expect([of("wipe"), of(" WIPE "), of("list"), of()]).toEqual(["deny", "deny", undefined, "deny"]);
  }
  expect(ruleFor(policyOf(rule("mail__send", "allow", "wipe")), send, {}, true)).toBeUndefined();
});
