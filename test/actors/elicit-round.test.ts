/** Several forms as one question. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { validateAnswer } from "../../actors/elicit/answer.ts";
import { keyOf } from "../../actors/elicit/field.ts";
import { roundForm, splitAnswer } from "../../actors/elicit/round.ts";
import { formOf } from "./elicit-fixture.ts";

const text = { type: "string" };
const forms = [
  { key: "one", ...formOf({ name: text, size: text }) },
  { key: "two", ...formOf({ Name: text, count: { type: "integer" } }, ["count"]) },
  { key: "three", ...formOf({}) },
];

test("fields keep their names, but for those that two forms share", () => {
  expect(roundForm(forms).fields.map(({ name, type, required }) => [name, type, required])).toEqual([
    ["one.name", "string", false],
    ["size", "string", false],
    ["two.Name", "string", false],
    ["count", "integer", true],
  ]);
});

test("an answer is taken apart again, a part for every form", () => {
  const valid = validateAnswer(roundForm(forms), { "ONE.name": "a", "two.name": "b", count: 1 });
  if (!valid.ok) throw new Error(valid.errors.join());
  expect([...splitAnswer(forms, valid.content)]).toEqual([
    ["one", { name: "a" }],
    ["two", { Name: "b", count: 1 }],
    ["three", {}],
  ]);
});

test("whatever keys and names a server takes, every field has a name of its own, and its answer gets home", () => {
  const name = fc.constantFrom("a", "b", "k.a", "K.A", "k.a#2", "__proto__", "x\u202e.a");
  const key = fc.constantFrom("k", "K", "k\n", "x\u202e", "", "__proto__", "k.k");
  const form = fc.record({ key, names: fc.uniqueArray(name, { selector: keyOf }) });
  fc.assert(
    fc.property(fc.uniqueArray(form, { selector: (one) => one.key }), (round) => {
      const keyed = round.map((one) => ({ key: one.key, ...formOf(Object.fromEntries(one.names.map((field) => [field, text]))) }));
      const whole = roundForm(keyed);
      expect(new Set(whole.fields.map((field) => keyOf(field.name))).size).toBe(whole.fields.length);
      const content = Object.fromEntries(whole.fields.map((field, at) => [field.name, `${at}`]));
      let at = 0;
      for (const { key: own, fields } of keyed)
        for (const field of fields) {
          expect(Object.entries(splitAnswer(keyed, content).get(own) ?? {})).toContainEqual([field.name, `${at}`]);
          at += 1;
        }
    }),
  );
});
