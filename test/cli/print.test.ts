/** Output for people. */
import { expect, test } from "bun:test";
import type { Envelope } from "../../events/envelope.ts";
import { eventLine, factsOf } from "../../src/cli/event-line.ts";
import { inline, jsonText, table } from "../../src/cli/print.ts";

test("columns are as wide as their widest cell, numbers stand right, no line ends in blanks", () => {
  const rows = [
    ["a", 5, "first"],
    ["longer", 1000, ""],
  ];
  expect(table(["NAME", "N", "WHAT"], rows).split("\n")).toEqual(["NAME       N  WHAT", "a          5  first", "longer  1000"]);
});

test("control characters of others cannot reach a terminal", () => {
  expect(inline("a\u001b[2Jb\nc\u009bd")).toBe("a\\u{1b}[2Jb c\\u{9b}d");
  expect(inline("one\n  two\tthree")).toBe("one two three");
  expect(table(["X"], [["\u001b]0;title\u0007"]])).toBe("X\n\\u{1b}]0;title\\u{7}");
});

test("JSON hides nothing, and is the same value", () => {
  const value = { text: "\u202ea\u009b\u{e0041}\u200b\n👩‍💻 é" };
  expect(jsonText(value)).toBe('{"text":"\\u202ea\\u009b\\udb40\\udc41\\u200b\\n👩‍💻 é"}');
  expect(JSON.parse(jsonText(value, 2))).toEqual(value);
});

test("an event is one line, with long ids cut", () => {
  const event: Envelope = {
    position: 7,
    stream: "session/s_c47139d124083e4c7d089d51c43d7864",
    version: 1,
    type: "call.answered",
    schema: 1,
    at: 0,
    turn: 3,
    data: { call: "c_1-0", certainty: "answered" },
    payload: { text: "two\nlines" },
    hash: "",
  };
  expect(eventLine(event)).toBe(
    '     7  1970-01-01T00:00:00.000Z  session/s_c47139d1…   call.answered         call=c_1-0 certainty=answered  + {"text":"two\\nlines"}',
  );
  expect(factsOf({ digest: "0123456789abcdef".repeat(4), notices: ["c_1"], reason: "a\nb" })).toBe(
    'digest=01234567… notices=["c_1"] reason=a b',
  );
});
