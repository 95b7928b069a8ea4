/** The search for many literals finds exactly what a naive search finds. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { createMatcher } from "../../src/secrets/matcher.ts";

test("at every place the longest pattern that begins there, and nothing else", () => {
  // Few letters, so that patterns overlap, repeat and are prefixes of each other.
  const unit = fc.constantFrom("a", "b", "é", "😀");
  const word = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", "b"), minLength: 3, maxLength: 6 }),
    fc.string({ unit, minLength: 3, maxLength: 24 }),
  );
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 12 }),
      fc.array(fc.oneof(word, fc.constantFrom("a", "b")), { maxLength: 20 }),
      (words, parts) => {
        const text = parts.join("") + words.join("");
        const found: [number, string][] = [];
        const patterns = words.map((each) => ({ text: each, family: "f", before: false, after: false }));
        createMatcher(patterns).find(text, (start, pattern) => found.push([start, pattern.text]));
        const expected: [number, string][] = [];
        for (let start = 0; start < text.length; start += 1) {
          const here = words.filter((each) => text.startsWith(each, start)).sort((a, b) => b.length - a.length)[0];
          if (here !== undefined) expected.push([start, here]);
        }
        expect(found).toEqual(expected);
      },
    ),
    { numRuns: 500 },
  );
});

test("looks at fewer characters than a clean text has", () => {
  let looked = 0;
  const counted: unknown = new Proxy(Object("ordinary words, again and again. ".repeat(100)), {
    get(target, property) {
      if (property === "charCodeAt") looked += 1;
      const member: unknown = Reflect.get(target, property);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  const text = counted as string;
  createMatcher([{ text: "a-secret-of-some-length", family: "f", before: false, after: false }]).find(text, () => expect.unreachable());
  expect(looked).toBeGreaterThan(0);
  expect(looked).toBeLessThan(text.length / 2);
});
