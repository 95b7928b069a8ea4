/** Tools as agents get them. */
import { expect, test } from "bun:test";
import { createPublished } from "../../src/mcp/published.ts";
import { shownTexts } from "../../src/mcp/shown-texts.ts";

const offer = { name: "mail__send", server: "mail", tool: "send", hash: "h", capability: "mutating" } as const;
const hidden = "a\u202eb\u200b";
const definition = {
  name: "send",
  title: hidden,
  description: hidden,
  inputSchema: {
    anyOf: [{ $ref: "#/$defs/form" }],
    $defs: { form: { type: "object", properties: { [hidden]: { description: hidden, enum: [hidden], default: hidden } } } },
  },
  annotations: { title: hidden },
};

test("descriptions hide nothing, and the schema is one that clients take", () => {
  const published = createPublished(() => definition);
  const shown = "a\\u{202e}b\\u{200b}";
  expect(published(offer)).toEqual({
    name: "mail__send",
    title: shown,
    description: `[mail] ${shown}`,
    inputSchema: { type: "object", properties: { [hidden]: { description: shown, enum: [hidden], default: hidden } } },
    annotations: { title: shown },
  });
  expect(published(offer)).toBe(published(offer));
});

test("built-in tools are what we wrote", () => {
  expect(createPublished(() => definition)({ ...offer, server: "builtin" })).toBe(definition);
});

test("where nothing is hidden, a definition is the same object, and data is never touched", () => {
  const plain = {
    ...definition,
    title: "a",
    description: "b",
    annotations: {},
    inputSchema: { properties: { description: { const: { title: hidden } } } },
  };
  expect(shownTexts(plain)).toBe(plain);
  expect(shownTexts([{ title: "a" }, { title: hidden }])).toEqual([{ title: "a" }, { title: "a\\u{202e}b\\u{200b}" }]);
});
