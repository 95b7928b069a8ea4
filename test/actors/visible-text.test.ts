/** What is hidden in a text becomes visible, and nothing else changes. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { hiddenIn, isRightToLeft, showInvisible } from "../../actors/visible-text.ts";

test.each([
  ["a terminal's escape", "\u001b[2J", "\\u{1b}[2J"],
  ["the one-byte form of it", "\u009b2J", "\\u{9b}2J"],
  ["a control character", "a\u0000b\u0008", "a\\u{0}b\\u{8}"],
  ["a zero-width space", "a\u200bb", "a\\u{200b}b"],
  ["a byte order mark", "\ufefftext", "\\u{feff}text"],
  ["a soft hyphen", "a\u00adb", "a\\u{ad}b"],
  ["a direction override", "a\u202eb", "a\\u{202e}b"],
  ["a direction mark in text that needs none", "a\u200fb", "a\\u{200f}b"],
  ["tags", "\u{e0041}\u{e0042}", "\\u{e0041}\\u{e0042}"],
  ["selectors after a letter", "a\ufe0f\u{e0121}", "a\\u{fe0f}\\u{e0121}"],
  ["a second selector after an emoji", "☂\ufe0f\ufe0f", "☂\ufe0f\\u{fe0f}"],
  ["a joiner between letters", "a\u200db", "a\\u{200d}b"],
  ["tags after another flag", "🏳\u{e0067}\u{e007f}", "🏳\\u{e0067}\\u{e007f}"],
  ["half of a surrogate pair", "\ud800x", "\\u{d800}x"],
  ["a carriage return alone", "shown\rhidden", "shown\\u{d}hidden"],
  ["a line separator", "a\u2028b", "a\\u{2028}b"],
])("%s is shown", (_, text, shown) => {
  expect(showInvisible(text)).toBe(shown);
});

test.each([
  ["plain text with lines and tabs", "one\n\ttwo\r\nthree"],
  ["a family", "👨‍👩‍👧"],
  ["a person with skin and profession", "👩🏽‍💻"],
  ["a heart on fire and a keycap", "❤️‍🔥 1️⃣"],
  ["the flag of England", "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"],
  ["Persian with its non-joiner", "می‌خواهم"],
  ["Hindi with its joiner", "क्‍ष"],
  ["a direction mark in Hebrew", "שלום\u200f!"],
  ["a Han character in its variant", "葛\u{e0100}"],
])("%s stays", (_, text) => {
  expect(showInvisible(text)).toBe(text);
});

test("what was shown hides nothing any more, and the rest of the text is untouched", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const shown = showInvisible(text);
      // What was shown may have made its neighbour look at home, or no longer: only joiners and styles of emoji depend on neighbours.
      expect(hiddenIn(shown).filter(({ kind }) => kind === "escape" || kind === "control" || kind === "bidi" || kind === "half")).toEqual(
        [],
      );
      const hidden = hiddenIn(text);
      const rest = hidden.reduceRight((left, { at, length }) => left.slice(0, at) + left.slice(at + length), text);
      expect(shown.replace(/\\u\{[0-9a-f]+\}/g, "")).toBe(rest.replace(/\\u\{[0-9a-f]+\}/g, ""));
    }),
  );
});

test("text from right to left is known", () => {
  expect(["abc", "שלום", "سلام", "кириллица"].map(isRightToLeft)).toEqual([false, true, true, false]);
});
