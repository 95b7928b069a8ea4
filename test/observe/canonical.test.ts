/** Canonical JSON: one text for one value. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CanonicalError, canonicalize } from "../../src/observe/canonical.ts";

test("sorts keys by UTF-16 units, writes numbers and escapes as ECMAScript does", () => {
  const value: unknown = JSON.parse(
    '{"\\u20ac":"Euro","\\r":"CR","\\ufb33":"Dalet","1":"One","\\ud83d\\ude00":"Smile","\\u0080":"Control","\\u00f6":"o","10":0,"9":1}',
  );
  expect(canonicalize(value)).toBe(
    '{"\\r":"CR","1":"One","10":0,"9":1,"\u0080":"Control","\u00f6":"o","\u20ac":"Euro","\ud83d\ude00":"Smile","\ufb33":"Dalet"}',
  );
  expect(canonicalize([Number("333333333.33333329"), 1e30, 4.5, 2e-3, 1e-27, -0, 1e21, 1e20])).toBe(
    "[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1e+21,100000000000000000000]",
  );
  expect(canonicalize('\u20ac$\u000f\nA\'B"\\\\"/\u007f\u2028')).toBe('"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\u007f\u2028"');
});

test("leaves undefined members out", () => {
  expect(canonicalize({ b: undefined, a: [1] })).toBe('{"a":[1]}');
});

test("any value comes back from its canonical text, which is the same again", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const text = canonicalize(value, "escape");
      const back: unknown = JSON.parse(text);
      expect(back).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalize(back, "escape")).toBe(text);
    }),
  );
});

test("the order of keys does not matter, at any depth", () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, each]) => [key, reversed(each)]),
    );
  };
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => canonicalize(reversed(value), "escape") === canonicalize(value, "escape")),
  );
});

test("different values have different texts", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(canonicalize(a, "escape") === canonicalize(b, "escape")).toBe(
        Bun.deepEquals(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))),
      );
    }),
  );
});

describe("what has no canonical form", () => {
  for (const value of [
    Number.NaN,
    Number.POSITIVE_INFINITY,
    undefined,
    1n,
    () => 0,
    Symbol("s"),
    ["\ud800"],
    { "\udc00": 1 },
    { a: [undefined] },
  ]) {
    test(`is refused: ${Bun.inspect(value)}`, () => expect(() => canonicalize(value)).toThrow(CanonicalError));
  }

  test("lone surrogates are escaped on demand, and stay different", () => {
    expect(canonicalize(["\ud800", "\udfff", "\ufffd", "\\ud800"], "escape")).toBe('["\\ud800","\\udfff","\ufffd","\\\\ud800"]');
  });

  test("nesting beyond what the stack holds", () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 50_000; depth += 1) value = { value };
    expect(() => canonicalize(value)).toThrow(/nested deeper than 512/);
  });
});
