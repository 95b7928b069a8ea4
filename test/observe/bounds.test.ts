/** Sizes and integers of an input, before anything expensive looks at it. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { findUnsafeInteger, measure } from "../../src/observe/bounds.ts";

describe("measuring", () => {
  test("counts every value and the levels of nesting", () => {
    expect(measure("x")).toEqual({ elements: 1, depth: 0 });
    expect(measure({})).toEqual({ elements: 1, depth: 1 });
    expect(measure({ a: [1, { b: null }], c: "x" })).toEqual({ elements: 6, depth: 3 });
  });

  test("allows exactly the limits", () => {
    expect(measure(Array.from({ length: 9_999 }, () => 0)).exceeded).toBeUndefined();
    expect(measure(Array.from({ length: 10_000 }, () => 0)).exceeded).toBe("elements");
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect(measure(nested(64))).toEqual({ elements: 65, depth: 64 });
    expect(measure(nested(65)).exceeded).toBe("depth");
  });

  test("stops early", () => {
    const many = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, index]));
    expect(measure(many)).toEqual({ elements: 10_001, depth: 1, exceeded: "elements" });
    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    expect(measure(deep)).toEqual({ elements: 65, depth: 65, exceeded: "depth" });
  });
});

describe("integers that parsing would alter", () => {
  test("are found at every place, with their sign", () => {
    expect(findUnsafeInteger('{"id":9007199254740993}')).toBe("9007199254740993");
    expect(findUnsafeInteger("[1,-9007199254740993 ]")).toBe("-9007199254740993");
    expect(findUnsafeInteger("12345678901234567890")).toBe("12345678901234567890");
    expect(findUnsafeInteger('{"a":"1234567890123456789","b":[0.5,12345678901234567]}')).toBe("12345678901234567");
  });

  test("are not seen in strings, fractions, exponents and safe integers", () => {
    for (const text of [
      '"9007199254740993"',
      '{"12345678901234567890":1}',
      '"a\\"12345678901234567890"',
      '"\\\\\\"12345678901234567890"',
      "[9007199254740992,-9007199254740992,9007199254740991]",
      "0.12345678901234567890",
      "12345678901234567890.5",
      "12345678901234567890e5",
      "1e-12345678901234567890",
      '"unterminated 12345678901234567890',
      "",
    ]) {
      expect([text, findUnsafeInteger(text)]).toEqual([text, undefined]);
    }
    expect(findUnsafeInteger('["\\\\",12345678901234567890]')).toBe("12345678901234567890");
  });

  test("agree with exact arithmetic for any number in any value", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), fc.jsonValue(), (integer, noise) => {
        const text = `{"noise":${JSON.stringify(JSON.stringify(noise))},"n":[${integer}]}`;
        const beyond = integer > 2n ** 53n || integer < -(2n ** 53n);
        expect(findUnsafeInteger(text)).toBe(beyond ? `${integer}` : undefined);
      }),
    );
  });
});
