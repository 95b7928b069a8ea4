/** What is done about a question, rule by rule, and which rule comes first. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Situation, treat } from "../../actors/elicit/treat.ts";
import type { Elicitation, Responder } from "../../events/elicitation.ts";
import { asking, observe, policy } from "./elicit-fixture.ts";

const situation = (changes: Partial<Situation> = {}): Situation => ({
  policy: policy(),
  attempts: 0,
  canHandBack: false,
  available: ["llm"],
  ...changes,
});
const decide = (params: unknown, rules: Partial<Elicitation> = {}, changes: Partial<Situation> = {}) =>
  treat(observe(params, rules), situation({ policy: policy(rules), ...changes }));
const nobody: readonly Responder[] = [];

const text = asking({ name: { type: "string" } });
const choice = asking({ size: { enum: ["s", "m"] } });
const sure = asking({ sure: { type: "boolean" } });
const both = (required: readonly string[] = []) => asking({ size: { enum: ["s", "m"] }, sure: { type: "boolean" } }, { required });
const bare = { message: "Delete everything?" };

describe("a question is declined", () => {
  test.each([
    ["mode", text, { mode: "decline" }, {}],
    ["mode", text, { mode: "off" }, {}],
    ["not-a-form", { mode: "url", message: "?", url: "https://example.org" }, {}, {}],
    ["not-a-form", null, {}, {}],
    ["maxPerCall", text, { maxPerCall: 0 }, {}],
    ["maxPerCall", text, { maxPerCall: 3 }, { attempts: 3 }],
    ["question-message-characters", { message: "x".repeat(8001) }, {}, {}],
    ["unreadable", asking({ a: { type: "string" }, b: { type: "null" } }), {}, {}],
    ["sensitive", asking({ a: { type: "string" }, password: { type: "string" } }), {}, {}],
    ["sensitive", asking({ Size: { type: "string" } }), { deniedFields: ["size"] }, {}],
    ["decision", bare, {}, {}],
    ["decision", sure, {}, {}],
    ["decision", both(["sure"]), {}, {}],
    [
      "decision",
      asking({
        go: {
          oneOf: [
            { const: "1", title: "Yes" },
            { const: "2", title: "No" },
          ],
        },
      }),
      {},
      {},
    ],
    ["no-responder", text, {}, { available: nobody }],
    ["no-responder", text, { responder: "LLM" }, { available: ["client"] }],
    ["no-responder", text, {}, { available: ["conversation"] }],
    ["choices-only", text, { responder: "conversation" }, { available: ["llm", "conversation"] }],
  ] as [string, unknown, Partial<Elicitation>, Partial<Situation>][])("by %s: %j %j %j", (rule, params, rules, changes) => {
    expect(decide(params, rules, changes)).toEqual({ treatment: "decline", rule });
  });

  test("by the first rule that says so", () => {
    const all = { mode: "url", message: "x".repeat(8001), requestedSchema: { properties: { password: { type: "null" } } } };
    const { mode: _, ...form } = all;
    const short = { ...form, message: "?" };
    const readable = asking({ password: { type: "string" }, sure: { type: "boolean" } }, { required: ["sure"] });
    const rules = { defaults: { password: "x", sure: true } };
    expect(decide(all, { mode: "decline" }).rule).toBe("mode");
    expect(decide(all, { maxPerCall: 0 }).rule).toBe("not-a-form");
    expect(decide(form, { maxPerCall: 0 }).rule).toBe("maxPerCall");
    expect(decide(form).rule).toBe("question-message-characters");
    expect(decide(short).rule).toBe("unreadable");
    expect(decide(readable, rules).rule).toBe("sensitive");
    expect(decide(sure, {}, { available: nobody }).rule).toBe("decision");
  });
});

describe("configured defaults", () => {
  test("answer a form that they cover, decisions too, whoever else is there", () => {
    const covered = { treatment: "defaults", rule: "defaults" } as const;
    expect(decide(both(["sure"]), { defaults: { SIZE: "m", sure: "true" } })).toEqual(covered);
    expect(decide(sure, { defaults: { sure: false }, mode: "handback" }, { canHandBack: true, available: nobody })).toEqual(covered);
  });
  test("take a decision away from those who may not make it", () => {
    expect(decide(both(["sure"]), { defaults: { sure: true } })).toEqual({ treatment: "respond", rule: "responder", responder: "llm" });
  });
  test("that do not fit answer nothing", () => expect(decide(sure, { defaults: { sure: "yes" } }).rule).toBe("decision"));
  test("never agree to a bare confirmation", () => expect(decide(bare, { defaults: { sure: true } }).rule).toBe("decision"));
});

describe("a question is handed back", () => {
  test("when the rules say so and the agent can be given it, decisions and bare confirmations too", () => {
    for (const params of [text, sure, both(["sure"]), bare])
      expect(decide(params, { mode: "handback" }, { canHandBack: true, available: nobody })).toEqual({
        treatment: "handback",
        rule: "handback",
      });
  });
  test("otherwise it goes the usual way", () => {
    expect(decide(text, { mode: "handback" }).responder).toBe("llm");
    expect(decide(sure, { mode: "handback" }).rule).toBe("decision");
    expect(decide(text, { mode: "auto" }, { canHandBack: true }).treatment).toBe("respond");
  });
});

describe("a question is put to", () => {
  test("the first who is there, unless one is named", () => {
    expect(decide(text, {}, { available: ["conversation", "client", "llm"] }).responder).toBe("client");
    expect(decide(text, { responder: " " }, { available: ["llm"] }).responder).toBe("llm");
    expect(decide(text, { responder: "Operator" }, { available: ["llm", "operator"] }).responder).toBe("operator");
  });
  test("the conversation only for choices", () => {
    const there = { available: ["conversation"] as const };
    expect(decide(choice, { responder: "conversation" }, there).responder).toBe("conversation");
    const mixed = asking({ size: { enum: ["s", "m"] }, name: { type: "string" } });
    expect(decide(mixed, { responder: "conversation", defaults: { name: "x" } }, there).responder).toBe("conversation");
  });
  test("a person with everything in it", () => {
    for (const responder of ["client", "operator"] as const)
      for (const params of [bare, sure, both(["sure"])])
        expect(decide(params, {}, { available: [responder] })).toEqual({ treatment: "respond", rule: "responder", responder });
  });
  test("anybody else without the decisions that may be left open", () => {
    expect(decide(both(), {}, {})).toEqual({ treatment: "respond", rule: "responder", responder: "llm", withheld: ["sure"] });
  });
});

test("whatever is asked, no decision is left to anybody but a person or the operator's defaults", () => {
  const field = fc.constantFrom<unknown>(
    { type: "boolean" },
    { enum: ["yes", "no"] },
    { enum: ["s", "m"] },
    { type: "string" },
    { type: "null" },
  );
  const properties = fc.dictionary(fc.constantFrom("a", "b", "c"), field);
  const defaults = fc.dictionary(fc.constantFrom("a", "B", "c"), fc.constantFrom<unknown>(true, "yes", "s", 1));
  const available = fc.subarray<Responder>(["llm", "conversation", "client", "operator"]);
  const responder = fc.constantFrom(undefined, "llm", "conversation", "client", "nobody");
  fc.assert(
    fc.property(properties, fc.subarray(["a", "b"]), defaults, available, responder, (fields, required, values, there, named) => {
      const rules = { defaults: values, ...(named !== undefined && { responder: named }) };
      const seen = observe(asking(fields, { required }), rules);
      const treatment = treat(seen, situation({ policy: policy(rules), available: there }));
      if (treatment.treatment !== "respond" || treatment.responder === "client" || treatment.responder === "operator") return;
      const open = seen.fields.filter(({ name, decision }) => decision && !seen.defaulted?.includes(name)).map(({ name }) => name);
      expect(treatment.withheld ?? []).toEqual(open);
      expect(seen.fields.length).toBeGreaterThan(0);
    }),
  );
});
