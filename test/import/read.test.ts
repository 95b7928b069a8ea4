/** Reading what clients wrote: JSON of every strictness, TOML, YAML; and what is none of them. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readPlain } from "../../src/import/read.ts";

const read = (file: string, text: string | Uint8Array) => readPlain(file, typeof text === "string" ? new TextEncoder().encode(text) : text);

test.each([
  ["plain JSON", "a.json", '{"a":[1,"x",true,null]}', { a: [1, "x", true, null] }],
  ["comments and trailing commas", "a.json", '{ // c\n "a": 1, /* d */ }', { a: 1 }],
  ["JSON5", "a.json5", "{a: 'x', b: 0x1F, /* c */}", { a: "x", b: 31 }],
  ["JSON5 under the name of JSON", "a.json", "{a: 1}", { a: 1 }],
  ["a byte order mark and CRLF", "a.json", '\uFEFF{\r\n"a": 1\r\n}\r\n', { a: 1 }],
  [
    "TOML",
    "a.toml",
    "[mcp_servers.\"x y\"]\ncommand = 'C:\\d'\nat = 2020-01-02T03:04:05Z\n",
    { mcp_servers: { "x y": { command: "C:\\d", at: "2020-01-02T03:04:05Z" } } },
  ],
  ["YAML with an alias", "a.yaml", "a: &x [1, y]\nb: *x\n", { a: [1, "y"], b: [1, "y"] }],
  ["a name that tells nothing", "config", "a = 1\n", { a: 1 }],
])("%s", (_, file, text, value) => {
  expect(read(file, text)).toEqual({ value });
});

describe("what cannot be read is said in a sentence", () => {
  test.each([
    ["a.json", '{\n "a": 1,\n "b": }', /^a\.json:3:7: not valid JSONC: a value is expected here/],
    ["a.json", '{"a": 1, "a": 2}', /stands twice/],
    ["a.json", "", /^a\.json is empty$/],
    ["a.json", new Uint8Array([0x7b, 0xff]), /not UTF-8/],
    ["a.json", "[".repeat(100_000), /nested deeper/],
    ["a.toml", "a = ", /^a\.toml cannot be read: TOML Parse error/],
    ["a.toml", `a = ${"[".repeat(100_000)}`, /nested too deep/],
    ["a.yaml", "a: [", /cannot be read: YAML/],
    ["a.yaml", `${"- ".repeat(100)}x`, /nested too deep/],
    ["a.json", " ".repeat(4 * 1024 * 1024 + 1), /larger than 4 MiB/],
  ])("%s %#", (file, text, words) => {
    expect(read(file, text)).toEqual({ error: expect.stringMatching(words) });
  });

  test("aliases that stand for more than memory holds", () => {
    const levels = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]`);
    expect(read("a.yaml", `a0: &a0 [x, x, x]\n${levels.join("\n")}\n`)).toEqual({ error: expect.stringMatching(/more values|aliasing/) });
  });
});

test("whatever the bytes are, there is a value or a sentence", () => {
  const file = fc.constantFrom("a.json", "a.toml", "a.yaml", "a");
  fc.assert(
    fc.property(
      file,
      fc.oneof(
        fc.uint8Array(),
        fc.json().map((json) => new TextEncoder().encode(json)),
      ),
      (name, bytes) => {
        const result = read(name, bytes);
        expect("value" in result || result.error.length > 0).toBe(true);
      },
    ),
  );
});
