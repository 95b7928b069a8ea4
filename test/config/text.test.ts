/** What any text in a file leads to: a place for each error, no secret in it, and never a throw. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { parseDocument } from "../../src/config/jsonc.ts";
import { loadConfig } from "../../src/config/load.ts";
import { formatProblem } from "../../src/config/problems.ts";
import { redactedConfig } from "../../src/config/redacted.ts";
import { broken, errorsOf, folderWith, loaded } from "./fixture.ts";

test("errors stand at their line and column, with every kind of line end", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const text = ["{", '  "limits": {', '    "slots": 1', "  }", "}"].join(end);
    expect(broken(text).errors[0]).toMatchObject({ line: 3, column: 5, path: "limits.slots" });
  }
});

const syntax: [text: string, place: string][] = [
  ['{ "a": 1 "b": 2 }', "1:10: not valid JSONC: a comma is missing here"],
  ['{ "listen" "x" }', "1:12: not valid JSONC: a colon is missing here"],
  ['{\n  "listen": "x\n}', "2:13: not valid JSONC: this text has no closing quote"],
  ['{ "listen": x }', "1:13: not valid JSONC: this is no JSON value; text stands in double quotes"],
  ['{ "limits": {}', "1:15: not valid JSONC: a closing } is missing"],
  ["{} {}", "1:4: not valid JSONC: there is more text after the end of the document"],
  ['{ "limits": {},\n  "limits": {} }', "2:3: limits: this key stands twice in the same object; remove one"],
  ['{ "profiles": { "__proto__": {} } }', "1:17: profiles.__proto__: this name cannot be used"],
  [`${"[".repeat(33)}${"]".repeat(33)}`, "1:33: nested deeper than 32 levels"],
  ["", " the file is empty (write {} for the defaults)"],
  ["{} /*", "1:4: not valid JSONC: this comment is not closed"],
  ["// only words", " the file is empty (write {} for the defaults)"],
  ["[]", "1:1: expected an object, found a list"],
];
test.each(syntax)("%j is refused", (text, expected) => {
  const result = broken(text);
  expect(result.errors.map(formatProblem)[0]).toEqual(`${result.file}:${expected}`);
});

test("a file that is no text is refused", () => {
  const document = parseDocument("f", new Uint8Array([0x7b, 0xff, 0x7d]));
  expect(document).toEqual({
    problems: [{ file: "f", line: 0, column: 0, path: "", message: "the file is not UTF-8 text", hint: "save it as UTF-8" }],
  });
});

test("origins tell where each key was written", () => {
  const { origins } = loaded('{\n "mcpServers": { "a.b": { "command": "x",\n  "args": ["y"] } }\n}');
  expect(origins['mcpServers["a.b"].args[0]']).toMatchObject({ line: 3, column: 12 });
  expect(origins["limits"]).toBeUndefined();
});

test("no error repeats a value, which may be a secret", () => {
  const secret = "hunter2-hunter2";
  const files: unknown[] = [
    { agents: [{ name: `${secret} `, tokenHash: secret, host: secret }], listen: secret, limits: secret, bridge: { naming: secret } },
    { mcpServers: { s: { command: secret, env: secret, toolTimeoutMs: secret, type: secret } }, secrets: { register: [`${secret}!`] } },
  ];
  for (const file of files) expect(JSON.stringify(errorsOf(file))).not.toContain(secret);
});

test("any text gives a result, never a throw", () => {
  const key = fc.constantFrom(
    "listen",
    "agents",
    "mcpServers",
    "s",
    "command",
    "args",
    "tools",
    "*",
    "limits",
    "bridge",
    "constructor",
    "mcpConfig",
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3, depthSize: "xsmall" },
      fc.jsonValue(),
      fc.constantFrom("127.0.0.1:1", "x", 5, null),
      fc.dictionary(key, tie("any"), { maxKeys: 4 }),
      fc.array(tie("any"), { maxLength: 3 }),
    ),
  })).any;
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    value.map((made) => JSON.stringify(made) ?? ""),
    fc.string({ unit: fc.constantFrom(...'{}[],:"/*\\\n a1') }),
  );
  const cwd = folderWith();
  fc.assert(
    fc.property(text, (written) => {
      writeFileSync(join(cwd, "toolcrib.jsonc"), written);
      writeFileSync(join(cwd, "mcp.json"), written);
      const result = loadConfig({ cwd, home: cwd, env: {} });
      return result.ok ? JSON.stringify(redactedConfig(result.config)).length > 0 : result.errors.length > 0;
    }),
    { numRuns: 500, endOnFailure: true },
  );
});
