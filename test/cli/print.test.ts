/** Output for people. */
import { expect, test } from "bun:test";
import type { Envelope } from "../../events/envelope.ts";
import { eventLine, factsOf } from "../../src/cli/event-line.ts";
import { inline, table, visible } from "../../src/cli/print.ts";

test("columns are as wide as their widest cell, numbers stand right, no line ends in blanks", () => {
  const rows = [
    ["a", 5, "first"],
    ["longer", 1000, ""],
  ];
  expect(table(["NAME", "N", "WHAT"], rows).split("\n")).toEqual(["NAME       N  WHAT", "a          5  first", "longer  1000"]);
});

test("control characters of others cannot reach a terminal", () => {
  expect(visible("a\u001b[2Jb\nc\u009bd")).toBe("a\\x1b[2Jb\nc\\x9bd");
  expect(inline("one\n  two\tthree")).toBe("one two three");
  expect(table(["X"], [["\u001b]0;title\u0007"]])).toBe("X\n\\x1b]0;title\\x07");
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
