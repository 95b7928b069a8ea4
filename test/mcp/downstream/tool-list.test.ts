/** Reading `tools/list`: every page once, bad entries left out, no endless list. */
import { expect, test } from "bun:test";
import type { CallOutcome } from "../../../src/mcp/downstream/downstream.ts";
import { readToolList } from "../../../src/mcp/downstream/tool-list.ts";

const tool = (name: string) => ({ name, inputSchema: { type: "object" } });

function read(pages: (cursor: unknown) => Record<string, unknown>, checkHeaders = false) {
  const warnings: string[] = [];
  const page = async (params: Readonly<Record<string, unknown>>): Promise<CallOutcome> => ({
    kind: "result",
    result: pages(params["cursor"]),
  });
  return { warnings, tools: readToolList({ page, checkHeaders, onWarning: (text) => warnings.push(text) }) };
}

test("pages are followed to the end", async () => {
  const { tools } = read((cursor) => (cursor === undefined ? { tools: [tool("a")], nextCursor: "2" } : { tools: [tool("b")] }));
  expect((await tools).map(({ name }) => name)).toEqual(["a", "b"]);
});

test("a definition is passed on untouched", async () => {
  const definition = {
    ...tool("a"),
    title: "A",
    annotations: { readOnlyHint: true },
    _meta: { ui: 1 },
    icons: [],
    unknown: { kept: true },
  };
  expect(await read(() => ({ tools: [definition] })).tools).toEqual([definition]);
});

test("a cursor that comes back ends the reading with an error, in a circle of any size", async () => {
  const circle = read((cursor) => ({ tools: [], nextCursor: cursor === "a" ? "b" : "a" }));
  await expect(circle.tools).rejects.toThrow("the same nextCursor twice");
});

test("a list that grows for ever ends with an error", async () => {
  let n = 0;
  await expect(read(() => ({ tools: [], nextCursor: String(n++) })).tools).rejects.toThrow("more than 1000 pages");
});

test("entries that are no tools are skipped with a warning", async () => {
  const { tools, warnings } = read(() => ({ tools: [5, { description: "x" }, { name: "y" }, tool("good")] }));
  expect((await tools).map(({ name }) => name)).toEqual(["good"]);
  expect(warnings).toEqual([
    "tools/list: skipped an entry: it is not an object",
    "tools/list: skipped an entry: it has no name",
    'tools/list: skipped "y": it has no inputSchema',
  ]);
});

test("an unlawful x-mcp-header takes the tool out where it counts", async () => {
  const bad = { name: "bad", inputSchema: { properties: { a: { type: "number", "x-mcp-header": "A" } } } };
  expect(await read(() => ({ tools: [bad] })).tools).toHaveLength(1);
  const checked = read(() => ({ tools: [bad, tool("good")] }), true);
  expect((await checked.tools).map(({ name }) => name)).toEqual(["good"]);
  expect(checked.warnings[0]).toContain('skipped "bad": x-mcp-header');
});

test("a page that fails fails the list", async () => {
  const page = async (): Promise<CallOutcome> => ({ kind: "rpc_error", code: -32603, message: "boom" });
  await expect(readToolList({ page, checkHeaders: false, onWarning: () => undefined })).rejects.toThrow("tools/list failed: boom (-32603)");
});
