import { expect, test } from "bun:test";
import fc from "fast-check";
import { brokenBound, findUnsafeInteger } from "../../src/observe/bounds.ts";

test("an integer that a double does not keep is found by its literal", () => {
  expect(findUnsafeInteger('{"a":9007199254740993}')).toBe("9007199254740993");
  expect(findUnsafeInteger("[1,-9007199254740993,2]")).toBe("-9007199254740993");
  expect(findUnsafeInteger('{"a":[{"b":123456789012345678901234567890}]}')).toBe("123456789012345678901234567890");
  expect(findUnsafeInteger("9007199254740992")).toBeUndefined(); // 2^53 itself is kept
});

test("a number too large for a double is found", () => {
  expect(findUnsafeInteger('{"a":1e999}')).toBe("1e999");
});

test("safe integers, fractions and exponents are left alone", () => {
  for (const text of ['{"a":9007199254740991}', "-9007199254740991", "0.12345678901234567890", "1.5e300", "[1e-400]"]) {
    expect(findUnsafeInteger(text)).toBeUndefined();
  }
});

test("digits inside strings are text, also behind escaped quotes", () => {
  expect(findUnsafeInteger('{"id":"9007199254740993"}')).toBeUndefined();
  expect(findUnsafeInteger('{"9007199254740993":"\\"9007199254740993\\\\"}')).toBeUndefined();
  expect(findUnsafeInteger('{"a":"\\\\","b":9007199254740993}')).toBe("9007199254740993");
});

test("it finds exactly the integers that parsing alters", () => {
  const integer = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });
  fc.assert(
    fc.property(fc.array(integer, { maxLength: 4 }), fc.string(), (integers, text) => {
      const json = `{"text":${JSON.stringify(text)},"list":[${integers.join(",")}]}`;
      const unsafe = integers.find((value) => value > 2n ** 53n || value < -(2n ** 53n));
      expect(findUnsafeInteger(json)).toBe(unsafe === undefined ? undefined : String(unsafe));
    }),
  );
});

test("depth and elements are bounded", () => {
  const nest = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));
  expect(brokenBound(nest(64))).toBeUndefined();
  expect(brokenBound(nest(65))).toBe("depth");
  expect(brokenBound(nest(200_000))).toBe("depth");
  expect(brokenBound(Array.from({ length: 10_000 }, () => 1))).toBeUndefined();
  expect(brokenBound({ list: Array.from({ length: 10_000 }, () => 1) })).toBe("elements");
  for (const plain of [undefined, null, 1, "text"]) expect(brokenBound(plain)).toBeUndefined();
});
