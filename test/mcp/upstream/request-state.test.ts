/** Our own `requestState`: it opens unaltered, for its agent and its key only. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { createRequestStateCodec } from "../../../src/mcp/upstream/request-state.ts";

const codec = createRequestStateCodec(new Uint8Array(32).fill(7));
const state = { question: "q_1", call: "c_1", name: "act", round: 2 };

test("opens as it was sealed, for the same agent", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), fc.nat(), fc.string(), (id, call, name, round, agent) => {
      for (const sealed of [
        { question: id, call, name, round },
        { approval: id, call, name },
      ])
        expect(codec.open(codec.seal(sealed, agent), agent)).toEqual(sealed);
    }),
  );
});

test("says nothing of what it holds, and is another text each time", () => {
  const text = codec.seal(state, "a");
  expect(text).toMatch(/^[\w-]+$/);
  expect(Buffer.from(text, "base64url").includes("q_1")).toBe(false);
  expect(codec.seal(state, "a")).not.toBe(text);
});

test("does not open for another agent or with another key", () => {
  expect(codec.open(codec.seal(state, "a"), "b")).toBeUndefined();
  expect(createRequestStateCodec(new Uint8Array(32).fill(8)).open(codec.seal(state, "a"), "a")).toBeUndefined();
});

test("does not open when any character of it is another one, missing or more", () => {
  const text = codec.seal(state, "a");
  const other = (character: string) => (character === "A" ? "B" : "A");
  for (let i = 0; i < text.length; i++) {
    expect(codec.open(text.slice(0, i) + other(text.charAt(i)) + text.slice(i + 1), "a")).toBeUndefined();
    expect(codec.open(text.slice(0, i) + text.slice(i + 1), "a")).toBeUndefined();
    expect(codec.open(`${text.slice(0, i)}=${text.slice(i)}`, "a")).toBeUndefined();
  }
  fc.assert(fc.property(fc.string(), (garbage) => expect(codec.open(garbage, "a")).toBeUndefined()));
});

test("does not open beyond 8 KiB", () => {
  const long = { ...state, question: "q".repeat(7_000) };
  expect(codec.open(codec.seal(long, "a"), "a")).toBeUndefined();
});

test("takes no short key", () => {
  expect(() => createRequestStateCodec(new Uint8Array(16))).toThrow("32 bytes");
});
