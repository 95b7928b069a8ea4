/** Two definitions as a person compares them. */
import { expect, test } from "bun:test";
import { definitionDiff } from "../../src/cli/definition-diff.ts";

test("only what differs is shown, with the lines around it and nothing hidden", () => {
  const schema = (about: string) => ({ properties: { to: { description: about, type: "string" } }, type: "object" });
  const before = { name: "t", description: "First.\nSame.", inputSchema: schema("Whom."), annotations: { readOnlyHint: true } };
  const after = { ...before, description: "First\u202e.\nSame.", inputSchema: schema("Whom, and a copy to us.") };
  expect(definitionDiff(before, after)).toEqual([
    "  description",
    "    - First.",
    "    + First\\u{202e}.",
    "      Same.",
    "  inputSchema",
    '        "properties": {',
    '          "to": {',
    '    -       "description": "Whom.",',
    '    +       "description": "Whom, and a copy to us.",',
    '            "type": "string"',
    "          }",
  ]);
  expect(definitionDiff(before, before)).toEqual([]);
});

test("without an accepted definition everything is new; long parts are cut, and say so", () => {
  const lines = definitionDiff(undefined, { name: "t", title: "T", description: Array(100).fill("line").join("\n") });
  expect(lines.slice(0, 3)).toEqual(["  title", "    + T", "  description"]);
  expect(lines).toHaveLength(3 + 41);
  expect(lines.at(-1)).toBe("    + … 60 more lines: --json shows everything");
});
