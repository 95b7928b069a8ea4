/** Output for people. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Envelope } from "../../events/envelope.ts";
import { eventLine, factsOf } from "../../src/cli/event-line.ts";
import { inline, jsonText } from "../../src/cli/print.ts";
import { table, wrapped } from "../../src/cli/table.ts";

const EVENT: Envelope = {
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

test("columns are as wide as their widest cell, numbers stand right, no line ends in blanks", () => {
  const rows = [
    ["a", 5, "first"],
    ["longer", 1000, ""],
  ];
  expect(table(["NAME", "N", "WHAT"], rows).split("\n")).toEqual(["NAME       N  WHAT", "a          5  first", "longer  1000"]);
});

describe("on a narrow terminal", () => {
  const id = "a".repeat(30);
  const text = "one two three four five six seven";

  test("a list cuts its last column", () => {
    expect(table(["ID", "MESSAGE"], [[id, text]], { columns: 60 })).toBe(`ID${" ".repeat(30)}MESSAGE\n${id}  one two three four five six…`);
  });

  test("a story goes on in the next line, below its column or, without room there, indented", () => {
    const rows = [[id, `${text} ${text}`]];
    expect(table(["ID", "WHAT"], rows, { columns: 72, last: "wrap" }).split("\n").slice(1)).toEqual([
      `${id}  one two three four five six seven one`,
      `${" ".repeat(32)}two three four five six seven`,
    ]);
    expect(table(["ID", "WHAT"], rows, { columns: 40, last: "wrap" }).split("\n").slice(1)).toEqual([
      id,
      `        one two three four five six`,
      `        seven one two three four five`,
      `        six seven`,
    ]);
  });

  test("columns that do not fit stand one below the other, and no id is cut", () => {
    expect(
      table(
        ["ID", "TOOL", "N"],
        [
          [id, "mail__send", 7],
          [`${id}b`, "", 8],
        ],
        { columns: 40 },
      ),
    ).toBe([id, "  TOOL  mail__send", "  N     7", `${id}b`, "  N     8"].join("\n"));
  });

  test("whatever stands in a table, no line is longer than the terminal", () => {
    const cell = fc.oneof(fc.string({ maxLength: 30 }), fc.lorem({ maxCount: 12 }));
    const input = fc.record({
      rows: fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,30}$/), cell, cell), { minLength: 1, maxLength: 4 }),
      columns: fc.integer({ min: 40, max: 100 }),
      last: fc.constantFrom("cut" as const, "wrap" as const),
    });
    fc.assert(
      fc.property(input, ({ rows, columns, last }) => {
        for (const line of table(["ID", "TOOL", "MESSAGE"], rows, { columns, last }).split("\n"))
          expect(line.length).toBeLessThanOrEqual(columns);
      }),
    );
  });

  test("words that are wrapped are all there", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 50 }), (words, room) => {
        const lines = wrapped(words, room);
        expect(lines.join("").replace(/\s/g, "")).toBe(words.replace(/\s/g, ""));
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(room);
      }),
    );
  });

  test("an event has two lines, cut where the terminal ends", () => {
    const lines = eventLine(EVENT, 80).split("\n");
    expect(lines[0]).toStartWith("     7  1970-01-01T00:00:00.000Z  session/s_c47139d1…");
    expect(lines[1]).toBe('        call=c_1-0 certainty=answered  + {"text":"two\\nlines"}');
    for (const line of eventLine({ ...EVENT, payload: "x".repeat(200) }, 80).split("\n")) {
      expect(line.length).toBeLessThanOrEqual(80);
      expect(line).not.toContain("……");
    }
  });
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
  expect(eventLine(EVENT)).toBe(
    '     7  1970-01-01T00:00:00.000Z  session/s_c47139d1…   call.answered         call=c_1-0 certainty=answered  + {"text":"two\\nlines"}',
  );
  expect(factsOf({ digest: "0123456789abcdef".repeat(4), notices: ["c_1"], reason: "a\nb" })).toBe(
    'digest=01234567… notices=["c_1"] reason=a b',
  );
});
