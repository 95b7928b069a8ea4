/** How large a value is as JSON. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { jsonExceeds } from "../../actors/elicit/size.ts";

test("a value is as large as its JSON is, to the byte", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (sent) => {
      const json = JSON.stringify(sent);
      const value: unknown = JSON.parse(json);
      const bytes = Buffer.byteLength(json);
      expect([jsonExceeds(value, bytes), jsonExceeds(value, bytes - 1)]).toEqual([false, true]);
    }),
    { numRuns: 500 },
  );
});

test("a large one is not looked through", () => {
  const huge = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, "x"]));
  expect(jsonExceeds([huge, huge], 65_536)).toBe(true);
  expect(jsonExceeds("x".repeat(10_000_000), 65_536)).toBe(true);
});
