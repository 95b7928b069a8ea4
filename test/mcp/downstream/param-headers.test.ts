/** `x-mcp-header`: which declarations are lawful and what a call sends for them. */
import { expect, test } from "bun:test";
import { encodeHeaderValue, headersOfCall, parameterHeaders } from "../../../src/mcp/downstream/param-headers.ts";

const text = (header: unknown, type = "string") => ({ type, "x-mcp-header": header });

test("declarations are found through properties, at any depth", () => {
  const schema = {
    type: "object",
    properties: { region: text("Region"), where: { type: "object", properties: { zone: text("Zone", "integer") } } },
  };
  expect(parameterHeaders(schema)).toEqual({
    ok: true,
    headers: [
      { path: ["region"], header: "Region" },
      { path: ["where", "zone"], header: "Zone" },
    ],
  });
});

test.each([
  ["an empty name", { properties: { a: text("") } }],
  ["a name that is no token", { properties: { a: text("My Header") } }],
  ["a name with a line break", { properties: { a: text("A\r\nB") } }],
  ["a number", { properties: { a: text("A", "number") } }],
  ["an object", { properties: { a: text("A", "object") } }],
  ["a name used twice, whatever its case", { properties: { a: text("A"), b: text("a") } }],
  ["the schema itself", text("A")],
  ["a property below items", { properties: { list: { type: "array", items: { properties: { a: text("A") } } } } }],
  ["a property below oneOf", { oneOf: [{ properties: { a: text("A") } }] }],
  ["a property below $defs", { $defs: { d: { properties: { a: text("A") } } } }],
])("a declaration on %s is unlawful", (_, schema) => {
  expect(parameterHeaders(schema).ok).toBe(false);
});

test("the word in data is no declaration", () => {
  expect(parameterHeaders({ properties: { a: { type: "object", default: { "x-mcp-header": 1 } } } })).toEqual({ ok: true, headers: [] });
});

test("a call sends primitives and leaves out what is absent, null or structured", () => {
  const schema = {
    properties: { a: text("A"), b: text("B", "boolean"), c: text("C", "integer"), d: text("D"), e: text("E"), f: text("F", "integer") },
  };
  const declared = parameterHeaders(schema);
  if (!declared.ok) throw new Error(declared.reason);
  const headers = headersOfCall(declared.headers, { a: "eu", b: false, c: 42, d: null, e: { x: 1 }, f: 2 ** 60 });
  expect(headers).toEqual({ "Mcp-Param-A": "eu", "Mcp-Param-B": "false", "Mcp-Param-C": "42" });
});

test("a value that a header cannot carry unchanged is wrapped in base64", () => {
  expect(encodeHeaderValue("plain text, 1")).toBe("plain text, 1");
  for (const value of ["", " lead", "trail ", "zürich", "a\r\nX-Evil: 1", "=?base64?eA==?="]) {
    expect(encodeHeaderValue(value)).toBe(`=?base64?${Buffer.from(value).toString("base64")}?=`);
  }
});
