/** Answers to a form. */
import { describe, expect, test } from "bun:test";
import { applyDefaults, completeAnswer, validateAnswer } from "../../actors/elicit/answer.ts";
import { readForm } from "../../actors/elicit/form.ts";
import { formOf } from "./elicit-fixture.ts";

const accepts = (schema: unknown, value: unknown) => validateAnswer(formOf({ it: schema }), { it: value }).ok;

describe("a value fits as it is or not at all:", () => {
  test.each([
    [{ type: "string" }, ["", "a", "not@checked"], [1, true, null, ["a"], {}]],
    [{ type: "string", minLength: 2, maxLength: 3 }, ["ab", "abc", "😀"], ["a", "abcd", "😀😀"]],
    [{ type: "string", format: "email" }, ["anything"], []],
    [{ type: "number" }, [0, -1.5, 1e300], ["1", Number.NaN, Number.POSITIVE_INFINITY, true]],
    [{ type: "number", minimum: 1, maximum: 2 }, [1, 1.5, 2], [0.99, 2.01]],
    [{ type: "number", exclusiveMinimum: 1, exclusiveMaximum: 2 }, [1.5], [1, 2]],
    [{ type: "integer" }, [1, 1.0, -3], [1.5, "1"]],
    [{ type: "boolean" }, [true, false], ["true", 1, 0, null]],
    [{ enum: ["a", "B"] }, ["a", "B"], ["A", "b", " a", 0, ["a"]]],
    [{ oneOf: [{ const: "1", title: "Yes" }] }, ["1"], ["Yes", 1]],
    [{ enum: ["1"], enumNames: ["Yes"] }, ["1"], ["Yes"]],
    [{ type: "array", items: { enum: ["a", "b"] } }, [[], ["a"], ["b", "a", "a"]], ["a", ["c"], [1], { 0: "a" }]],
    [{ type: "array", items: { enum: ["a", "b"] }, minItems: 1, maxItems: 2, uniqueItems: true }, [["a"], ["a", "b"]], [[], ["a", "a"]]],
    [{ type: "object" }, [], [{}, "", null]],
  ])("%j", (schema, good: readonly unknown[], bad: readonly unknown[]) => {
    expect(good.filter((value) => !accepts(schema, value))).toEqual([]);
    expect(bad.filter((value) => accepts(schema, value))).toEqual([]);
  });
});

describe("an answer", () => {
  const form = formOf({ Name: { type: "string" }, count: { type: "integer", minimum: 1 }, size: { enum: ["s", "m"] } }, ["Name"]);

  test("is matched to fields without regard to case; what nobody asked for is dropped and named", () => {
    const answer = { name: "x", COUNT: 2, invented: 1, toString: "y" };
    expect(validateAnswer(form, answer)).toEqual({ ok: true, content: { Name: "x", count: 2 }, ignored: ["invented", "toString"] });
  });
  test("may leave out what is optional", () => {
    expect(validateAnswer(form, { Name: "" })).toEqual({ ok: true, content: { Name: "" }, ignored: [] });
  });
  test("is told every fault and what would fit, without its own values", () => {
    const result = validateAnswer(form, { count: "hunter2", size: "hunter2" });
    expect(result).toEqual({
      ok: false,
      errors: ['"Name" is missing: a text', '"count" does not fit: a whole number, at least 1', '"size" does not fit: one of "s", "m"'],
    });
  });
  test("does not say a thing twice", () => {
    expect(validateAnswer(form, { name: "x", NAME: "x" })).toMatchObject({
      ok: false,
      errors: ['"Name" is given more than once, in different spellings'],
    });
  });
  test.each([[null], ["text"], [[]], [undefined], [1]])("is an object, not %j", (answer) => {
    expect(validateAnswer(form, answer).ok).toBe(false);
    expect(completeAnswer(form, answer, {}).action).toBe("decline");
  });
  test("to an empty form is anything, and nothing of it is kept", () => {
    expect(validateAnswer({ fields: [] }, { a: 1 })).toEqual({ ok: true, content: {}, ignored: ["a"] });
  });
  test("to a form that is named like what objects inherit is its own", () => {
    const odd = readForm(
      JSON.parse('{"message":"?","requestedSchema":{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}}'),
    );
    const answer = JSON.parse('{"__PROTO__":"p","constructor":"c"}');
    const result = validateAnswer(odd, answer);
    expect(JSON.stringify(result)).toBe('{"ok":true,"content":{"__proto__":"p","constructor":"c"},"ignored":[]}');
    expect(validateAnswer({ fields: [{ ...odd.fields[0]!, required: true }] }, {}).ok).toBe(false);
  });
  test("hears of a hundred options at most", () => {
    const many = formOf({ it: { enum: Array.from({ length: 150 }, (_, at) => `o${at}`) } });
    const result = validateAnswer(many, { it: "x" });
    expect(result).toMatchObject({ ok: false, errors: [expect.stringMatching(/"o99" and 50 more$/)] });
  });
});

describe("the operator's defaults", () => {
  const form = formOf({
    sure: { type: "boolean" },
    count: { type: "integer", maximum: 9 },
    rate: { type: "number" },
    text: { type: "string", maxLength: 5 },
    size: { enum: ["s", "1"] },
  });
  test("may spell a yes, a no or a number as text", () => {
    const defaults = { SURE: "true", count: " 7 ", rate: "-1.5e3", text: "true", size: "1" };
    expect(applyDefaults(form, defaults)).toEqual({
      content: { sure: true, count: 7, rate: -1500, text: "true", size: "1" },
      stale: [],
    });
  });
  test("that do not fit are dropped and named; those of other forms are not spoken of", () => {
    const defaults = { sure: "yes", count: "10", rate: "007", text: "too long", size: 1, other: 1 };
    expect(applyDefaults(form, defaults)).toEqual({ content: {}, stale: ["sure", "count", "rate", "text", "size"] });
  });
  test("are no way for anybody else to write a value", () => {
    expect(completeAnswer(form, { sure: "true" }, {})).toMatchObject({ action: "decline", rule: "invalid" });
  });
});

describe("an answer is completed:", () => {
  const form = formOf({ name: { type: "string" }, go: { type: "boolean" }, n: { type: "integer" } });

  test("decisions of others are dropped, in any case", () => {
    expect(completeAnswer(form, { name: "x", GO: true, go: true }, {}, ["go"])).toEqual({
      action: "accept",
      content: { name: "x" },
      ignored: [],
      stale: [],
    });
  });
  test("defaults overwrite what was given, also where a decision is withheld", () => {
    expect(completeAnswer(form, { Name: "x", go: false, n: 1 }, { NAME: "d", Go: "true" }, ["go"])).toMatchObject({
      action: "accept",
      content: { name: "d", go: true, n: 1 },
    });
  });
  test("a stale default leaves the answer alone", () => {
    expect(completeAnswer(form, { n: 1 }, { n: "x" })).toEqual({ action: "accept", content: { n: 1 }, ignored: [], stale: ["n"] });
  });
  test("an invalid one declines", () => {
    expect(completeAnswer(form, { n: "1" }, {})).toMatchObject({
      action: "decline",
      rule: "invalid",
      errors: [expect.stringContaining('"n"')],
    });
  });
  test("one without a single field declines, unless there is none", () => {
    expect(completeAnswer(form, { invented: 1 }, {})).toMatchObject({ action: "decline", rule: "empty" });
    expect(completeAnswer(form, { go: true }, {}, ["go"])).toMatchObject({ action: "decline", rule: "empty" });
    expect(completeAnswer({ fields: [] }, {}, {})).toMatchObject({ action: "accept", content: {} });
  });
});
