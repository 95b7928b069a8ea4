/** What the door finds out about arguments: faults against the schema, guards, rules, hosts, labels. */
import { describe, expect, test } from "bun:test";
import { posix } from "node:path";
import fc from "fast-check";
import { expressionOf } from "../../src/observe/expressions.ts";
import { guardFault, guardVerdict } from "../../src/observe/guards.ts";
import { schemaFaults } from "../../src/observe/schema.ts";

describe("a tool's own schema", () => {
  const schema = {
    type: "object",
    properties: {
      to: { type: "string", pattern: "^[a-z]+$" },
      n: { type: "integer", minimum: 1 },
      kind: { enum: ["a", "b"] },
      mail: { type: "string", format: "email" },
    },
    required: ["to"],
    additionalProperties: false,
  };

  test.each([
    [{ to: "bob" }, []],
    [{ to: "bob", n: 2, kind: "a", mail: "no address at all" }, []],
    [{ to: "Bob" }, ["to: does not match the pattern of the schema"]],
    [{ to: 7 }, ['to: type "number" is invalid. Expected "string"']],
    [{ to: "bob", n: 0 }, ["n: 0 is less than 1"]],
    [{}, ['arguments: does not have required property "to"']],
  ])("%j", (args, faults) => {
    expect(schemaFaults(schema, args)).toEqual(faults);
  });

  test("names unknown parameters", () => {
    expect(schemaFaults(schema, { to: "bob", x: 1 }).join()).toContain("x");
  });

  test.each([
    [
      "a reference to somewhere else is not fetched, and leaves the value open",
      { properties: { a: { $ref: "https://example.com/schema.json" } } },
    ],
    ["a reference that leads nowhere refuses nothing", { properties: { a: { $ref: "#/$defs/none" } } }],
    [
      "a pattern that only a backtracking engine could judge is left to the server",
      { properties: { a: { type: "string", pattern: "^(?=a)b$" } } },
    ],
    ["a schema of nonsense refuses nothing", { properties: { a: { type: 7, enum: "x" } } }],
  ])("%s", (_, open) => {
    expect(schemaFaults(open, { a: "text" })).toEqual([]);
  });

  test("a pattern that would hang a backtracking engine is judged at once", () => {
    const evil = { properties: { a: { type: "string", pattern: "^(a+)+$" } } };
    expect(schemaFaults(evil, { a: `${"a".repeat(50_000)}!` })).toHaveLength(1);
  });

  test("local references, also circular ones, are followed", () => {
    const tree = {
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" }, v: { type: "number" } } } },
      $ref: "#/$defs/node",
    };
    expect(schemaFaults(tree, { next: { next: { v: 1 } } })).toEqual([]);
    expect(schemaFaults(tree, { next: { next: { v: "x" } } })).toHaveLength(1);
  });

  test("never throws, whatever the schema and the arguments are", () => {
    fc.assert(fc.property(fc.object(), fc.object(), (made, args) => Array.isArray(schemaFaults(made, args))));
  });
});

describe("expressions", () => {
  const judge = (text: string, variables: object) => {
    const expression = expressionOf(text);
    return "fault" in expression ? "fault" : expression.evaluate(variables as Record<string, unknown>);
  };
  test.each([
    ["amount > 100", { amount: 150 }, true],
    ["amount + 1 == 3 && to.endsWith('@example.com')", { amount: 2, to: "a@example.com" }, true],
    ["args.amount > 100.5", { args: { amount: 100 } }, false],
    ["to in ['a', 'b'] || !(n == 1)", { to: "c", n: 1 }, false],
    ["args.missing == 1", { args: {} }, "failed"],
    ["has(args.missing)", { args: {} }, false],
    ["amount", { amount: 1 }, "failed"],
    ["amount >", {}, "fault"],
    ["to.matches('(a+)+$')", { to: "a" }, "fault"],
  ])("%s over %j is %p", (text, variables, verdict) => {
    expect(judge(text, variables)).toBe(verdict);
  });
});

describe("expressions around what is hidden", () => {
  const judge = (text: string, variables: Record<string, unknown>) => {
    const expression = expressionOf(text);
    return "fault" in expression ? "fault" : expression.evaluateAround(variables, (word) => word.startsWith("hidden"));
  };
  test.each([
    ["token == 'x'", { token: "hidden" }, "hidden"],
    ["token == 'x'", { token: "shown" }, false],
    ["amount > 1 || token == 'x'", { amount: 2, token: "hidden" }, true],
    ["token == 'x' || amount > 1", { amount: 2, token: "hidden" }, true],
    ["amount > 1 && token == 'x'", { amount: 0, token: "hidden" }, false],
    ["amount > 1 && token == 'x'", { amount: 2, token: "hidden" }, "hidden"],
    ["to.exists(one, one == 'a')", { to: ["a", "hidden"] }, true],
    ["to.exists(one, one == 'a')", { to: ["b", "hidden"] }, "hidden"],
    ["size(to) == 2", { to: ["b", "hidden"] }, true],
    ["inner.n == 1", { inner: { n: 1, token: "hidden" } }, true],
    ["has(inner.n)", { inner: { "hidden key": 1 } }, "hidden"],
    ["missing == 1", { token: "hidden" }, "failed"],
  ])("%s over %j is %p", (text, variables, verdict) => {
    expect(judge(text, variables)).toBe(verdict);
  });
});

describe("the guard path-prefix", () => {
  const guard = { handler: "path-prefix", tools: ["Write"], options: { args: ["path"], allowedPrefixes: ["/shared", "/data/"] } };
  test.each([
    ["/shared/a", true],
    ["/shared", true],
    ["/shared/x/../a", true],
    ["\\shared\\a", true],
    ["/shared/", true],
    ["/shared-evil/a", false],
    ["/shared/../etc/passwd", false],
    ["shared/a", false],
    ["/../x", false],
    ["", false],
    ["/shared/\u0000/a", false],
    [null, false],
    [["/shared/a"], false],
  ])("%p passes: %p", (path, passes) => {
    expect(guardVerdict([guard], "write", { path }) === undefined).toBe(passes);
  });

  test("looks at every key that is the parameter in any case", () => {
    expect(guardVerdict([guard], "write", { path: "/shared/a", PATH: "/etc" })?.reason).toContain('"PATH" must lie below /shared, /data');
  });

  test("is about its tools only, and asks for the parameter where it is required", () => {
    expect(guardVerdict([guard], "read", { path: "/etc" })).toBeUndefined();
    const required = { ...guard, options: { ...guard.options, requireArgs: true } };
    expect([guardVerdict([guard], "write", {}), guardVerdict([required], "write", {})?.rule]).toEqual([undefined, "guard:path-prefix"]);
  });

  test.each([
    [{ handler: "shell", tools: [], options: {} }, "is not known; known: path-prefix, shell-command"],
    [{ handler: "path-prefix", tools: [], options: { args: [], allowedPrefixes: ["/a"] } }, "args must be"],
    [{ handler: "path-prefix", tools: [], options: { args: ["p"], allowedPrefixes: ["a"] } }, "absolute"],
    [{ handler: "path-prefix", tools: [], options: { args: ["p"], allowedPrefixes: ["/a"], allow: 1 } }, '"allow" is not known'],
  ])("%j cannot be used", (entry, words) => {
    expect(guardFault([entry])).toContain(words);
    expect(guardVerdict([entry], "any", { p: "/a" }) !== undefined).toBe(true);
  });

  test("never passes a path that leads out, however it is written", () => {
    const segment = fc.constantFrom("..", ".", "a", "shared", "", "shared-evil", "%2e%2e");
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 8 }), fc.constantFrom("/", "\\"), (segments, separator) => {
        const path = `/${segments.join(separator)}`;
        if (guardVerdict([guard], "write", { path })) return;
        const resolved = posix.normalize(path.replaceAll("\\", "/")).replace(/(?<=.)\/$/, "");
        expect(resolved === "/shared" || resolved.startsWith("/shared/")).toBe(true);
      }),
    );
  });
});
