/** The object in a model's prose. */
import { expect, test } from "bun:test";
import { firstObject } from "../../src/llm/first-object.ts";

test.each<[string, unknown]>([
  ['{"a":1}', { a: 1 }],
  ['Here you are:\n```json\n{"a":{"b":"c"}}\n```\nDone.', { a: { b: "c" } }],
  ['{"a":"} { \\" }","b":[{}]} {"c":1}', { a: '} { " }', b: [{}] }],
  ['I thought {about it} and say {"a":1}', { a: 1 }],
  ['{"a":"\\\\"} tail "}', { a: "\\" }],
  ['{"__proto__":{"a":1}}', JSON.parse('{"__proto__":{"a":1}}')],
])("%s holds one", (text, object) => {
  expect(firstObject(text)).toEqual(object as Record<string, unknown>);
});

test.each(["", "yes", "[1]", '{"a":1', '{"outer":{"action":"accept","content":{"a":1}}', "{", '{"a":"} ', "{a:1}", "}{"])(
  "%s holds none",
  (text) => {
    expect(firstObject(text)).toBeUndefined();
  },
);

test("a flood of braces is read once", () => {
  expect(firstObject("{".repeat(1_000_000))).toBeUndefined();
  expect(firstObject("{}x".repeat(3) + "{".repeat(1_000_000))).toEqual({});
  expect(firstObject("{x}".repeat(300_000))).toBeUndefined();
});
