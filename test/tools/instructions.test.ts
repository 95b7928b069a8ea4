/** How a server's instructions are cut, and what is said then. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { capInstructions, DETAILS_CAP, isGuideLike } from "../../src/tools/instructions.ts";

const marker = (kept: number, all: number) => `\n\n[Server instructions truncated: ${kept} of ${all} characters shown.]`;

describe("a server's instructions", () => {
  test("that fit stay as they are, to the last character", () => {
    for (const text of ["", "Be polite.", "x".repeat(100), `${"x".repeat(99)}\n`]) expect(capInstructions(text, 100)).toBe(text);
    expect(DETAILS_CAP).toBe(2000);
  });

  test("are cut at the last line that fits whole", () => {
    const text = `${"a".repeat(60)}\n${"b".repeat(30)}\n${"c".repeat(30)}`;
    expect(capInstructions(text, 100)).toBe(`${"a".repeat(60)}\n${"b".repeat(30)}${marker(91, 122)}`);
  });

  test("are cut in a line when that would lose more than half of the room", () => {
    const at = (line: number) => capInstructions(`${"a".repeat(line)}\n${"b".repeat(200)}`, 100);
    expect(at(49)).toBe(`${"a".repeat(49)}\n${"b".repeat(50)}${marker(100, 250)}`);
    expect(at(50)).toBe(`${"a".repeat(50)}${marker(50, 251)}`);
    expect(at(100)).toBe(`${"a".repeat(100)}${marker(100, 301)}`);
  });

  test("end without space in front of what is said of the cut", () => {
    expect(capInstructions(`${"a".repeat(60)}  \n\n${"b".repeat(100)}`, 70)).toBe(`${"a".repeat(60)}${marker(60, 164)}`);
  });

  test("are never cut between the halves of one character", () => {
    expect(capInstructions(`${"a".repeat(99)}😀${"b".repeat(50)}`, 100)).toBe(`${"a".repeat(99)}${marker(99, 151)}`);
  });

  test("name the guides that may tell the rest", () => {
    expect(capInstructions("a".repeat(30), 20, ["`mail__help`", "`mail__readme`"])).toBe(
      `${"a".repeat(20)}\n\n[Server instructions truncated: 20 of 30 characters shown. The server's own guide may cover the rest: \`mail__help\`, \`mail__readme\`.]`,
    );
  });

  test("begin as they were written, and are never longer than the room", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 2, max: 60 }), (text, cap) => {
        const shown = capInstructions(text, cap);
        if (text.length <= cap) return expect(shown).toBe(text);
        const [, kept = "", count] = /^([\s\S]*)\n\n\[Server instructions truncated: (\d+) of \d+ characters shown\.\]$/.exec(shown) ?? [];
        expect(text.startsWith(kept)).toBe(true);
        expect(kept.length).toBeLessThanOrEqual(cap);
        expect(Number(count)).toBe(kept.length);
      }),
    );
  });
});

test.each(["guide", "get_skill", "HELP", "show-instructions", "README", "search_docs"])("%s sounds like a guide", (tool) => {
  expect(isGuideLike(tool)).toBe(true);
});
test.each(["send_mail", "doc", "gui", ""])("%j does not", (tool) => {
  expect(isGuideLike(tool)).toBe(false);
});
