/** What is seen in a server's question. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { observeQuestion, readForm } from "../../actors/elicit/form.ts";
import { ObservedQuestion } from "../../events/elicitation.ts";
import { asking, observe, policy } from "./elicit-fixture.ts";

describe("a form is unreadable", () => {
  test("as a whole when its schema is no plain object of fields", () => {
    for (const more of [{ type: "array" }, { properties: [] }, { required: "a" }, { allOf: [] }, { minProperties: 1 }])
      expect(observe(asking({ a: { type: "string" } }, more)).unreadable).toEqual(["requestedSchema"]);
    expect(observe({ message: "?", requestedSchema: "no" }).unreadable).toEqual(["requestedSchema"]);
    expect(observe({ message: 5 }).unreadable).toEqual(["message"]);
  });

  test("when it requires what it does not ask for", () => {
    expect(observe(asking({ a: { type: "string" } }, { required: ["a", "b"] })).unreadable).toEqual(["b"]);
    expect(observe(asking({}, { required: ["toString", { toString: 1 }] })).unreadable).toEqual(["toString", "required"]);
  });

  test("when names differ only in case, or cannot be written as they look", () => {
    const it = { type: "string" };
    expect(observe(asking({ Name: it, name: it, other: it })).unreadable).toEqual(["Name", "name"]);
    expect(observe(asking({ é: it, "e\u0301": it })).unreadable).toHaveLength(2);
    expect(observe(asking({ "a\nb": it })).unreadable).toEqual(["a b"]);
    expect(observe(asking({ "a\u202eb": it })).unreadable).toEqual(["a\\u{202e}b"]);
    expect(observe(asking({ ["n".repeat(129)]: it })).unreadable).toEqual([`${"n".repeat(127)}…`]);
  });

  test("when a name holds a secret, which is shown nowhere", () => {
    const seen = observe(asking({ hunter2: { type: "boolean" } }), { defaults: { hunter2: true } }, (text) =>
      text.replace("hunter2", "[secret]"),
    );
    expect(seen.unreadable).toEqual(["[secret]"]);
    expect(JSON.stringify(seen)).not.toContain("hunter2");
  });
});

describe("what is no form is not read:", () => {
  test.each([
    ["elicitation/create", { mode: "url", url: "https://example.org", message: "?" }, "url"],
    ["elicitation/create", { mode: "voice" }, "other"],
    ["elicitation/create", { mode: 1 }, "other"],
    ["elicitation/create", null, "other"],
    ["sampling/createMessage", { message: "?" }, "other"],
    ["roots/list", {}, "other"],
  ])("%s %j is %s", (method, params, mode) => {
    expect(observeQuestion("k", { method, params }, policy())).toEqual({ key: "k", mode: mode as "url", fields: [] });
  });
  test("a form may call itself one or not", () => {
    expect(observe({ mode: "form", message: "?" })).toEqual({ key: "k", mode: "form", fields: [] });
    expect(observe({ message: "?" })).toEqual({ key: "k", mode: "form", fields: [] });
  });
});

describe("bounds are named when they are broken:", () => {
  const field = (length: number) => ({ a: { type: "string", description: "x".repeat(length) } });
  const rest = JSON.stringify(asking(field(0)).requestedSchema).length;

  test("8,000 characters of a message", () => {
    expect(observe({ message: "x".repeat(8000) }).limit).toBeUndefined();
    expect(observe({ message: "x".repeat(8001) }).limit).toBe("question-message-characters");
  });
  test("64 KiB of a schema, to the byte", () => {
    expect(observe(asking(field(65_536 - rest))).limit).toBeUndefined();
    expect(observe(asking(field(65_537 - rest))).limit).toBe("question-schema-bytes");
    expect(observe(asking({ a: { type: "string", description: "ü".repeat(33_000) } })).limit).toBe("question-schema-bytes");
  });
  test("32 fields", () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, { type: "string" }]));
    expect(observe(asking(many(32))).limit).toBeUndefined();
    expect(observe(asking(many(33)))).toMatchObject({ limit: "question-fields", fields: { length: 32 } });
  });
});

describe("what is sensitive is found", () => {
  test.each([
    ["its name", asking({ apiKey: { type: "string" } }), "apiKey"],
    ["its title", asking({ it: { type: "string", title: "Password" } }), "it"],
    ["its description", asking({ it: { type: "string", description: "Your PIN" } }), "it"],
    ["its format", asking({ it: { type: "string", format: "password" } }), "it"],
    ["an option", asking({ it: { enum: ["mail", "password"] } }), "it"],
    ["an option's title", asking({ it: { oneOf: [{ const: "1", title: "My password" }] } }), "it"],
    ["the form's title", asking({}, { title: "Login with a password" }), "message"],
    ["the message", { ...asking({ it: { type: "string" } }), message: "Type your password" }, "message"],
  ])("in %s", (_, params, where) => expect(observe(params).sensitive).toEqual([where]));

  test("among denied fields, in any case and by any look-alike", () => {
    const params = asking({ Email: { type: "string" }, "\u0435mail": { type: "string" }, age: { type: "integer" } });
    expect(observe(params, { deniedFields: ["EMAIL"] }).sensitive).toEqual(["Email", "\u0435mail"]);
    expect(observe(params).sensitive).toBeUndefined();
  });
});

describe("configured defaults", () => {
  const params = asking({ Size: { enum: ["s", "m"] }, count: { type: "integer", minimum: 1 } });
  test("are told by field, in any case", () => {
    const seen = observe(params, { defaults: { size: "m", COUNT: "0" } });
    expect(seen.defaulted).toEqual(["Size"]);
    expect(seen.covered).toBeUndefined();
  });
  test("cover a form when every field has one", () => {
    expect(observe(params, { defaults: { size: "m", count: 2 } }).covered).toBe(true);
    expect(observe({ message: "Sure?" }, { defaults: { size: "m" } }).covered).toBeUndefined();
  });
});

describe("whatever a server sends,", () => {
  const schema = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.record(
      { type: fc.constantFrom("string", "number", "boolean", "array", "object"), enum: fc.jsonValue(), items: fc.jsonValue() },
      { requiredKeys: [] },
    ),
  );
  const name = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString", "hasOwnProperty"));
  const properties = fc.array(fc.tuple(name, schema), { maxLength: 40 }).map((entries) => Object.fromEntries(entries));
  const params = fc.oneof(
    fc.jsonValue(),
    fc.record({ message: fc.jsonValue(), requestedSchema: fc.record({ properties, required: fc.jsonValue() }) }, { requiredKeys: [] }),
  );

  test("it is observed without failure, in the shape of the log", () => {
    fc.assert(
      fc.property(params, fc.jsonValue(), (sent, value) => {
        const seen = observe(sent, { defaults: { a: value, __proto__: value }, deniedFields: ["x", "__proto__"] });
        expect(ObservedQuestion.parse(seen)).toEqual(seen);
      }),
    );
  });

  test("names of what every object inherits are names like others", () => {
    const sent = JSON.parse(
      '{"message":"?","requestedSchema":{"properties":{"__proto__":{"type":"boolean"},"constructor":{"type":"string"}}}}',
    );
    expect(readForm(sent).fields.map(({ name: one, type }) => [one, type])).toEqual([
      ["__proto__", "boolean"],
      ["constructor", "string"],
    ]);
    expect(observe(sent, { defaults: JSON.parse('{"__proto__":true}') }).defaulted).toEqual(["__proto__"]);
  });

  test("depth does no harm", () => {
    const depth = 100_000;
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`);
    let deeper: unknown = 1;
    for (let level = 0; level < depth; level += 1) deeper = [deeper];
    expect(observe(asking({ a: deep })).unreadable).toEqual(["a"]);
    expect(observe(asking({ a: deeper })).limit).toBe("question-schema-bytes");
    expect(observe({ message: deeper }).unreadable).toEqual(["message"]);
  });
});
