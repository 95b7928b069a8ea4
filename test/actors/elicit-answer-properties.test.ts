/** What holds for every form and every answer to it. */
import { describe, expect, test } from "bun:test";
import { type Schema, Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { applyDefaults, completeAnswer, validateAnswer } from "../../actors/elicit/answer.ts";
import { readForm } from "../../actors/elicit/form.ts";
import { metWherever } from "../met.ts";
import { asking } from "./elicit-fixture.ts";

describe("for any form and any answer", () => {
  const count = fc.nat({ max: 4 });
  const optional = { requiredKeys: ["type"] } as { requiredKeys: ["type"] };
  const text = fc.stringMatching(/^[a-c]{0,5}$/);
  const options = fc.uniqueArray(text, { minLength: 1, maxLength: 4 });
  const range = {
    minimum: fc.integer({ min: -3, max: 3 }),
    maximum: fc.integer({ min: -3, max: 3 }),
    exclusiveMinimum: fc.integer({ min: -3, max: 3 }),
  };
  const field = fc.oneof(
    fc.record({ type: fc.constant("string"), minLength: count, maxLength: count }, optional),
    fc.record({ type: fc.constantFrom("number", "integer"), ...range }, optional),
    fc.record({ type: fc.constant("boolean") }),
    fc.record({ type: fc.constant("string"), enum: options }),
    fc.record({ type: fc.constant("string"), oneOf: options.map((all) => all.map((one) => ({ const: one, title: one }))) }),
    fc
      .record(
        { items: options.map((all) => ({ type: "string", enum: all })), minItems: count, maxItems: count, uniqueItems: fc.boolean() },
        { requiredKeys: ["items"] },
      )
      .map((rest) => ({ type: "array", ...rest })),
    fc.constantFrom({ type: "null" }, { not: {} }, { const: 1 }, { type: "string", const: "a" }, { type: "integer", multipleOf: 2 }),
  );
  const names = fc.constantFrom("a", "b", "c", "d");
  const value = fc.oneof(
    text,
    fc.integer({ min: -4, max: 4 }),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(text, { maxLength: 4 }),
  );
  const schema = fc.record({ properties: fc.dictionary(names, field), required: fc.array(names, { maxLength: 2 }) });
  const answer = fc.dictionary(fc.oneof(names, fc.constantFrom("A", "B", "z")), value);

  test("what the schema forbids is never accepted, and nothing is changed", async () => {
    const met = await metWherever(
      fc.tuple(schema, answer),
      ([{ properties, required }, given]) => {
        const form = readForm(asking(properties, { required }));
        const result = validateAnswer(form, given);
        if (!result.ok || form.unreadable.length > 0) return "refused";
        const whole = { type: "object", properties, required, additionalProperties: false } as Schema;
        expect(new Validator(whole, "2020-12").validate(result.content).valid).toBe(true);
        for (const [name, kept] of Object.entries(result.content))
          expect<unknown[]>([given[name], given[name.toUpperCase()]]).toContain(kept);
        return "accepted";
      },
      { runs: 1000, counted: 1000 },
    );
    expect(met.filter((answered) => answered === "accepted").length).toBeGreaterThan(50); // 7 of 100 on the average
  });

  test("what is completed is valid, and a withheld field is only ever the operator's", () => {
    fc.assert(
      fc.property(schema, answer, answer, fc.subarray(["a", "B", "c"]), ({ properties, required }, given, defaults, withheld) => {
        const form = readForm(asking(properties, { required }));
        const result = completeAnswer(form, given, defaults, withheld);
        if (result.action === "decline") return;
        expect(validateAnswer(form, result.content).ok).toBe(true);
        const fixed = applyDefaults(form, defaults).content;
        for (const name of Object.keys(result.content))
          if (withheld.some((one) => one.toLowerCase() === name)) expect(Object.keys(fixed)).toContain(name);
      }),
    );
  });
});
