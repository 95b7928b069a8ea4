/** The stderr ring keeps the end of what was written, within bounds. */
import { expect, test } from "bun:test";
import { createStderrRing } from "../../../src/mcp/downstream/stderr-ring.ts";

test("the last lines are kept in order, the unfinished one included", () => {
  const ring = createStderrRing(3);
  ring.push(Buffer.from("one\ntwo\nth"));
  expect(ring.lines()).toEqual(["one", "two", "th"]);
  ring.push(Buffer.from("ree\nfour\nfive"));
  expect(ring.lines()).toEqual(["three", "four", "five"]);
});

test("one chunk with more lines than fit leaves its last ones", () => {
  const ring = createStderrRing(3);
  ring.push(Buffer.from("old"));
  ring.push(Buffer.from(`${Array.from({ length: 100 }, (_, i) => `line ${i}`).join("\n")}\n`));
  expect(ring.lines()).toEqual(["line 97", "line 98", "line 99"]);
});

test("a long line is cut, however it arrives", () => {
  const ring = createStderrRing(3, 10);
  ring.push(Buffer.from("a".repeat(7)));
  ring.push(Buffer.from(`${"b".repeat(100)}\n`));
  ring.push(Buffer.from("c".repeat(100)));
  expect(ring.lines()).toEqual(["aaaaaaabbb", "c".repeat(10)]);
});
