/** Prompts, resources and templates: read to the end, empty only when the server says so, unknown when it cannot be said. */
import { expect, test } from "bun:test";
import type { CallOutcome } from "../../../src/mcp/downstream/downstream.ts";
import { optionalLists } from "../../../src/mcp/downstream/optional-lists.ts";

const METHOD_NOT_FOUND: CallOutcome = { kind: "rpc_error", code: -32601, message: "Method not found" };
const result = (value: Record<string, unknown>): CallOutcome => ({ kind: "result", result: value });

function lists(
  answers: Readonly<Record<string, CallOutcome | ((cursor: unknown) => CallOutcome)>>,
  capabilities: Readonly<Record<string, unknown>> = { prompts: {}, resources: {} },
) {
  const asked: string[] = [];
  const warnings: string[] = [];
  const made = optionalLists({
    capabilities,
    request: async (method, { cursor }) => {
      asked.push(method);
      const answer = answers[method] ?? METHOD_NOT_FOUND;
      return typeof answer === "function" ? answer(cursor) : answer;
    },
    onWarning: (text) => warnings.push(text),
  });
  return { ...made, asked, warnings };
}

test("a server without the capability is not asked and has none", async () => {
  const { prompts, resources, asked } = lists({}, { tools: {} });
  expect([await prompts(), await resources(), asked]).toEqual([[], { resources: [], templates: [] }, []]);
});

test("a method that the server does not know is an empty list, also of one of the two kinds of resources", async () => {
  const uri = { uri: "a://b", name: "b" };
  const { prompts, resources } = lists({ "resources/list": result({ resources: [uri] }) });
  expect([await prompts(), await resources()]).toEqual([[], { resources: [uri], templates: [] }]);
  const template = { uriTemplate: "a://{x}", name: "x" };
  expect(await lists({ "resources/templates/list": result({ resourceTemplates: [template] }) }).resources()).toEqual({
    resources: [],
    templates: [template],
  });
});

test.each<[string, CallOutcome]>([
  ["any other error", { kind: "rpc_error", code: -32603, message: "boom" }],
  ["a lost connection", { kind: "lost", reason: "reset" }],
  ["HTTP 500", { kind: "lost", reason: "the server answered with HTTP 500", status: 500 }],
  ["an answer without the list", result({})],
  ["a list that is none", result({ prompts: 5, resources: 5 })],
])("%s leaves the list unknown", async (_, outcome) => {
  const { prompts, resources, warnings } = lists({
    "prompts/list": outcome,
    "resources/list": outcome,
    "resources/templates/list": result({ resourceTemplates: [] }),
  });
  expect([await prompts(), await resources()]).toEqual([undefined, undefined]);
  expect(warnings.map((text) => text.replace(/ failed.*/, ""))).toEqual(["prompts/list", "resources/list"]);
});

test("pages are followed, and a cursor that comes back leaves the list unknown", async () => {
  const page = (cursor: unknown) =>
    result(cursor === undefined ? { prompts: [{ name: "a" }], nextCursor: "2" } : { prompts: [{ name: "b" }] });
  expect(await lists({ "prompts/list": page }).prompts()).toEqual([{ name: "a" }, { name: "b" }]);
  const circle = lists({ "prompts/list": result({ prompts: [], nextCursor: "again" }) });
  expect(await circle.prompts()).toBeUndefined();
  expect(circle.asked).toHaveLength(2);
});

test("a list without end is cut at 2,000 entries", async () => {
  const names = Array.from({ length: 700 }, (_, index) => ({ name: `p${index}` }));
  const { prompts, asked, warnings } = lists({
    "prompts/list": (cursor) => result({ prompts: names, nextCursor: String(Number(cursor ?? 0) + 1) }),
  });
  expect(await prompts()).toHaveLength(2000);
  expect([asked.length, warnings]).toEqual([3, ["prompts/list: only the first 2000 entries are used"]]);
});

test("definitions are kept as they are, malformed ones are skipped with a warning", async () => {
  const prompt = { name: "p", title: "P", arguments: [{ name: "x", required: true, extra: 1 }], icons: [], _meta: { a: 1 }, odd: true };
  const bad = [5, null, { description: "x" }, { name: "" }, { name: "q", arguments: "x" }, { name: "q", arguments: [{}] }];
  const { prompts, resources, warnings } = lists({
    "prompts/list": result({ prompts: [...bad, prompt] }),
    "resources/list": result({ resources: [{ uri: "a://1" }, { name: "n" }, { uri: "a://2", name: "two", size: 3, odd: [] }] }),
    "resources/templates/list": result({ resourceTemplates: [{ uriTemplate: 5, name: "n" }] }),
  });
  expect(await prompts()).toEqual([prompt]);
  expect(await resources()).toEqual({ resources: [{ uri: "a://2", name: "two", size: 3, odd: [] } as never], templates: [] });
  expect(warnings).toEqual([
    "prompts/list: skipped an entry: it is not an object",
    "prompts/list: skipped an entry: it is not an object",
    "prompts/list: skipped an entry: it has no name",
    "prompts/list: skipped an entry: it has no name",
    "prompts/list: skipped an entry: its arguments are no list of named ones",
    "prompts/list: skipped an entry: its arguments are no list of named ones",
    "resources/list: skipped an entry: it has no name",
    "resources/list: skipped an entry: it has no uri",
    "resources/templates/list: skipped an entry: it has no uriTemplate",
  ]);
});
