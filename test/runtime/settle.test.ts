/** The limits of a turn: consequences that never come to rest are a defect, and nothing of them happens. */
import { expect, test } from "bun:test";
import { EMPTY_CATALOGUE } from "../../actors/catalogue.ts";
import type { AnyActor } from "../../actors/define.ts";
import { settle } from "../../src/runtime/settle.ts";

/** An actor that answers each command with one event, which causes `consequences`. */
const actor = (consequences: (n: number) => readonly object[]): AnyActor => ({
  kind: "test",
  shape: 1,
  initialState: 0,
  decide: { go: (_: unknown, { n }: { n: number }) => [{ type: "went", schema: 1, data: { n } }] },
  evolve: { went: (count: number) => count + 1 },
  react: { went: ({ n }: { n: number }) => consequences(n) },
  recover: () => [],
  isQuiet: () => true,
});
const run = (consequences: (n: number) => readonly object[]) => {
  const one = actor(consequences);
  const actors = { actorAt: () => one, stateOf: (address: string) => (address === "registry" ? EMPTY_CATALOGUE : 0) };
  return settle(actors, { to: "test", command: { type: "go", n: 0 }, now: 1, id: (prefix) => prefix });
};
const tell = (n: number) => ({ type: "tell", to: "test", command: { type: "go", n } });

test("a chain of sixteen consequences comes to rest", () => {
  const { events, states } = run((n) => (n < 16 ? [tell(n + 1)] : []));
  expect(events).toHaveLength(17);
  expect(states.get("test")).toBe(17);
});

test("a longer chain is a defect", () => {
  expect(() => run((n) => [tell(n + 1)])).toThrow("did not come to rest");
});

test("so are more than ten thousand commands", () => {
  expect(() => run((n) => (n < 5 ? Array.from({ length: 10 }, () => tell(n + 1)) : []))).toThrow("did not come to rest");
});

test("effects keep their order and say who asked", () => {
  const { effects } = run((n) => (n === 0 ? [{ type: "first" }, tell(1), { type: "second" }] : [{ type: "third" }]));
  expect(effects.map(({ effect, from }) => [effect.type, from])).toEqual([
    ["first", "test"],
    ["second", "test"],
    ["third", "test"],
  ]);
});
