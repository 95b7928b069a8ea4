/** What the program records about itself: which secrets are stored, and that they changed. */
import { test } from "bun:test";
import { System } from "../../actors/system.ts";
import { SecretRemoved, SecretSet } from "../../events/system.ts";
import { given } from "../given.ts";

const by = "operator:cli:1000";
const stored = (...names: (readonly [string, number])[]) =>
  ({ type: "secrets", stored: names.map(([name, updatedAt]) => ({ name, updatedAt })), by }) as const;
const set = (name: string, updatedAt: number, replaced = false) => SecretSet({ name, updatedAt, replaced, by });

test("secrets that are new are recorded, one event each", () => {
  given(System)
    .when(stored(["A", 1], ["B", 2]))
    .emits(set("A", 1), set("B", 2));
});

test("what is known already is not recorded again", () => {
  given(System, set("A", 1))
    .when(stored(["A", 1]))
    .emits();
});

test("a value that was replaced is told from a new one", () => {
  given(System, set("A", 1))
    .when(stored(["A", 5], ["B", 1]))
    .emits(set("A", 5, true), set("B", 1));
});

test("one that is gone is removed, and new when it comes back", () => {
  given(System, set("A", 1), set("B", 1))
    .when(stored(["B", 1]), stored(["A", 1], ["B", 1]))
    .emits(SecretRemoved({ name: "A", by }), set("A", 1));
});
