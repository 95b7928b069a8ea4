import { expect, test } from "bun:test";
import { DEFAULT_SURFACE } from "../../actors/catalogue.ts";
import { promptName, typedName } from "../../actors/naming.ts";

const SUFFIX = "0123abcd";
const RULES = { naming: "prefixed", maxLength: DEFAULT_SURFACE.maxNameLength } as const;

test.each([
  ["mail", "send_mail", "mail__send_mail"],
  ["my.server", "a.b/c", "my-server__a-b-c"],
  ["mail", "größe", "mail__gr--e"],
  ["s", "x".repeat(45), `s__${"x".repeat(45)}`],
  ["s", "x".repeat(46), `s__${"x".repeat(36)}-${SUFFIX}`],
])("%s and %s make %s", (server, tool, name) => {
  expect(typedName(server, tool, SUFFIX, RULES)).toBe(name);
  expect(name.length).toBeLessThanOrEqual(RULES.maxLength);
});

test("prompts have names of the same kind, as long as they are", () => {
  expect(promptName("my.server", "be nice!", "prefixed")).toBe("my-server__be-nice-");
  expect(promptName("s", "x".repeat(99), "prefixed")).toBe(`s__${"x".repeat(99)}`);
  expect(promptName("my.server", "be nice!", "bare")).toBe("be nice!");
});

test("bare names are the server's own", () => {
  expect(typedName("mail", "send.mail", SUFFIX, { ...RULES, naming: "bare" })).toBe("send.mail");
});
