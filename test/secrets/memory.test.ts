/** What the vault remembers stays within its bounds. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { createMemory } from "../../src/secrets/memory.ts";

const limits = { entriesPerSession: 4, bytesPerSession: 4_000, sessions: 3, bytes: 9_000 };

test("count and bytes never exceed the limits, and are zero when all is forgotten", () => {
  const text = fc.integer({ min: 0, max: 9 });
  const step = fc.record({
    session: text,
    server: text,
    marker: text,
    length: fc.integer({ min: 0, max: 3_000 }),
    what: fc.integer({ min: 0, max: 9 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const memory = createMemory(limits);
      for (const { session, server, marker, length, what } of steps) {
        if (what === 0) memory.forget(`s${session}`);
        else if (what === 1) memory.forgetServer(`v${server}`);
        else if (what < 4) memory.recall(`s${session}`, `v${server}`, `m${marker}`);
        else memory.remember(`s${session}`, `v${server}`, `m${marker}`, "x".repeat(length));
        const { sessions, entries, bytes } = memory.size();
        expect(sessions).toBeLessThanOrEqual(limits.sessions);
        expect(entries).toBeLessThanOrEqual(limits.sessions * limits.entriesPerSession);
        expect(bytes).toBeLessThanOrEqual(limits.bytes);
        expect(bytes).toBeGreaterThanOrEqual(0);
      }
      for (let session = 0; session < 10; session += 1) memory.forget(`s${session}`);
      expect(memory.size()).toEqual({ sessions: 0, entries: 0, bytes: 0 });
    }),
  );
});

test("an original larger than a session may hold is not kept and pushes nothing out", () => {
  const memory = createMemory(limits);
  memory.remember("s", "v", "small", "x");
  memory.remember("s", "v", "large", "x".repeat(3_000));
  expect(memory.recall("s", "v", "large")).toBeUndefined();
  expect(memory.recall("s", "v", "small")).toBe("x");
});

test("two originals under one marker: neither is given out", () => {
  const memory = createMemory(limits);
  memory.remember("s", "v", "m", "one");
  memory.remember("s", "v", "m", "two");
  expect(memory.recall("s", "v", "m")).toBeUndefined();
  memory.remember("s", "v", "m", "one");
  expect(memory.recall("s", "v", "m")).toBeUndefined();
});

test("a server that is gone leaves the same size as if it had never been", () => {
  const [one, two] = [createMemory(limits), createMemory(limits)];
  for (const memory of [one, two]) memory.remember("s", "stays", "m", "x");
  two.remember("s", "goes", "m", "x");
  two.remember("s", "goes", "n", "y");
  expect(two.size()).not.toEqual(one.size());
  two.forgetServer("goes");
  expect(two.size()).toEqual(one.size());
});
