/** Search for whole servers. */
import { expect, test } from "bun:test";
import { createSearchIndex, type ToolDocument } from "../../actors/rank.ts";

const tool = (server: string, own: string, more: Partial<ToolDocument> = {}): ToolDocument => ({
  name: `${server}__${own}`,
  tool: own,
  server,
  description: "",
  parameters: [],
  ...more,
});

const MAIL = { serverTitle: "Post Office", summary: "Reads and sends mail" };
const DOCUMENTS = [
  tool("mail", "fetch", MAIL),
  tool("mail", "count", MAIL),
  tool("mail", "mark_read", MAIL),
  tool("mail", "search_letters", { ...MAIL, description: "Searches the archive" }),
  tool("leads", "search_leads"),
  tool("maps", "search", { summary: "Leads the way" }),
];
const index = createSearchIndex(DOCUMENTS);
const names = (query: string) => index.servers(query, 5).map(({ server }) => server);

test.each([
  ["its name", "mail"],
  ["its title", "office"],
  ["its summary", "sending"],
  ["the name of a tool", "letters"],
  ["what a tool does", "archive"],
])("a server is found by %s", (_, query) => {
  expect(names(query)).toEqual(["mail"]);
});

test("words that stand together count more, also in names of tools", () => {
  expect(names("search leads")[0]).toBe("leads");
  const together = createSearchIndex([
    tool("a", "x", { summary: "sales and old data" }),
    tool("b", "x", { summary: "old sales data and" }),
  ]);
  expect(together.servers("sales data", 2).map(({ server, score }) => [server, score < 1])).toEqual([
    ["b", false],
    ["a", true],
  ]);
});

test("the best has 1, the others their share of it", () => {
  const [first, second] = index.servers("search leads", 5);
  expect(first?.score).toBe(1);
  expect(second?.score).toBeGreaterThan(0);
  expect(second?.score).toBeLessThan(1);
});

test("with a server come the three tools that fit best, then its first ones", () => {
  const [mail] = index.servers("letters by mail", 1);
  expect(mail?.tools.map(({ tool: own }) => own)).toEqual(["search_letters", "fetch", "count"]);
});

test("equal servers come in the order of their names", () => {
  const equal = createSearchIndex([tool("b", "ping"), tool("a", "ping")]);
  expect(equal.servers("ping", 5).map(({ server, score }) => [server, score])).toEqual([
    ["a", 1],
    ["b", 1],
  ]);
});

test("what nothing has to do with finds no server, and no more come than asked for", () => {
  expect(names("zzzz")).toEqual([]);
  expect(names("")).toEqual([]);
  expect(index.servers("search", 1)).toHaveLength(1);
  expect(createSearchIndex([]).servers("search", 5)).toEqual([]);
});
