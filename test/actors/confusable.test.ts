/** Names that a reader takes for each other, and names that are not what they seem. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { isConfusable, isDisguised, skeleton } from "../../actors/confusable.ts";

test.each([
  ["paypal", "p\u0430ypal"],
  ["read_file", "read-file"],
  ["read.file", "read_file"],
  ["Read_File", "read_file"],
  ["list_items", "1ist_ltems"],
  ["github", "glthub"],
  ["tool", "t00l"],
  ["modern", "modem"],
  ["view", "vievv"],
  ["bank", "\u0412ank"],
  ["help", "\u0397elp"],
  ["mail", "ma\u200bil"],
  ["mail", "\uff4d\uff41\uff49\uff4c"],
  ["admin", "\u1ea1dmin"],
])("%s and %s are confusable", (one, other) => {
  expect(isConfusable(one, other)).toBe(true);
  expect(isConfusable(other, one)).toBe(true);
});

test.each([
  ["mail", "mail"],
  ["mail", "send"],
  ["get_user", "get_users"],
  ["read_file", "readfile"],
  ["файл", "файлы"],
])("%s and %s are not", (one, other) => {
  expect(isConfusable(one, other)).toBe(false);
});

test("a skeleton is its own skeleton, whatever the name", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (name) => expect(skeleton(skeleton(name))).toBe(skeleton(name))));
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (name) =>
      expect(skeleton(name.toLowerCase())).toBe(skeleton(skeleton(name.toLowerCase()))),
    ),
  );
});

test("letters of other alphabets in place of ours are a disguise, words of other alphabets are none", () => {
  expect(["p\u0430th", "\u0440\u0430\u0441\u0441", "pa\uff54h"].map(isDisguised)).toEqual([true, true, true]);
  expect(["path", "größe", "файл", "路径", "naïve", "α", "5×5", "a–b"].map(isDisguised)).toEqual(Array(8).fill(false));
});
