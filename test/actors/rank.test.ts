/** Tool search: what a question in plain words finds, and in which order. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createSearchIndex, type ToolDocument } from "../../actors/rank.ts";

function tool(name: string, description = "", more: Partial<ToolDocument> = {}): ToolDocument {
  const [server = "", own = ""] = name.split("__");
  return { name, tool: own, server, description, parameters: [], ...more };
}

const found = (documents: readonly ToolDocument[], query: string, limit = 10) =>
  createSearchIndex(documents)
    .search(query, limit)
    .map(({ document }) => document.name);

const FILES = [
  tool("fs__read_file", "Read the contents of a file."),
  tool("fs__write_file", "Create a file or overwrite it."),
  tool("fs__list_directory", "List what a directory holds."),
  tool("mail__sendMessage", "Sends a message to a person.", { parameters: [{ name: "recipient", description: "An address" }] }),
  tool("cal__create_event", "Adds an appointment.", { serverTitle: "Calendar of the team" }),
  tool("wx__forecast", "Weather of the next days.", { summary: "Weather for any place on earth" }),
];

describe("a query finds a tool by", () => {
  test.each([
    ["the words of its name", "read a file", "fs__read_file"],
    ["the humps of its name", "send message", "mail__sendMessage"],
    ["its description", "appointment", "cal__create_event"],
    ["a parameter", "recipient", "mail__sendMessage"],
    ["a parameter's description", "address", "mail__sendMessage"],
    ["its server", "cal", "cal__create_event"],
    ["its server's title", "team", "cal__create_event"],
    ["its server's summary", "earth", "wx__forecast"],
    ["another form of the word", "forecasting", "wx__forecast"],
    ["a synonym", "folder", "fs__list_directory"],
    ["a misspelt word", "wether", "wx__forecast"],
    ["a word written apart", "fore cast", "wx__forecast"],
    ["a part of a name's word", "cast", "wx__forecast"],
    ["the path in it", "what does ~/notes/today say?", "fs__read_file"],
    ["a file's name in it", "show me report.xyz and plan.md", "fs__read_file"],
  ])("%s", (_, query, first) => {
    expect(found(FILES, query)[0]).toBe(first);
  });
});

test("what nothing has to do with finds nothing", () => {
  expect(found(FILES, "zzzz qqqq")).toEqual([]);
  expect(found(FILES, "  ")).toEqual([]);
  expect(found([], "anything")).toEqual([]);
});

test("words of every script are found", () => {
  const documents = [
    tool("a__one", "Wetter und Größe"),
    tool("b__two", "搜索天气预报"),
    tool("c__three", "прогноз погоды"),
    tool("d__four", "café"),
  ];
  expect(found(documents, "größe")).toEqual(["a__one"]);
  expect(found(documents, "天气")).toEqual(["b__two"]);
  expect(found(documents, "погоды")).toEqual(["c__three"]);
  expect(found(documents, "cafe")).toEqual(["d__four"]);
});

test("a product is found however its humps are written", () => {
  const documents = [tool("a__search", "Searches GitHub"), tool("b__search", "Searches sequentialthinking")];
  for (const query of ["github", "GitHub", "git hub"]) expect(found(documents, query)[0]).toBe("a__search");
  expect(found(documents, "sequential thinking")).toEqual(["b__search"]);
});

test("the name counts more than the description, and a name said completely more than half of one", () => {
  const documents = [
    tool("a__note", "Something about a picture."),
    tool("b__picture", "Something about notes."),
    tool("c__picture_frame_colour", "Something about notes."),
  ];
  expect(found(documents, "picture")).toEqual(["b__picture", "c__picture_frame_colour", "a__note"]);
});

test("a rare word counts more than a common one", () => {
  const documents = [tool("a__x", "list files"), tool("b__x", "list files"), tool("c__x", "list planets")];
  expect(found(documents, "list files or planets")[0]).toBe("c__x");
});

test("the word itself counts more than a synonym", () => {
  expect(found([tool("a__folder_size"), tool("b__directory_size")], "directory size")).toEqual(["b__directory_size", "a__folder_size"]);
});

test("the words of a link or a path tell less than the others", () => {
  const documents = [tool("a__root_markdown"), tool("b__convert_sheet")];
  expect(found(documents, "convert the sheet /root/markdown/plan.bin")[0]).toBe("b__convert_sheet");
});

test("a tool's name finds it first, whatever else fits and however it is written", () => {
  const documents = [tool("a__x", "", { tool: "Get It" }), tool("b__get_it_now", "get it, get it, a__x"), tool("c__of")];
  for (const [query, first] of [
    ["a__x", "a__x"],
    [" A__X ", "a__x"],
    ["get it", "a__x"],
    ["of", "c__of"],
  ] as const)
    expect(found(documents, query)[0]).toBe(first);
});

test("equal tools come in the order of their names", () => {
  expect(found([tool("b__ping"), tool("a__ping"), tool("B__ping")], "ping")).toEqual(["B__ping", "a__ping", "b__ping"]);
});

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.constantFrom("read the file", "GET /x/y.pdf", "fs__read_file", "a", "的"),
);
const documents = fc.uniqueArray(
  fc.record(
    {
      name: fc.string({ minLength: 1, maxLength: 20 }),
      tool: text,
      server: fc.constantFrom("a", "b", "мир"),
      serverTitle: text,
      summary: text,
      description: text,
      parameters: fc.array(fc.record({ name: text, description: text }, { requiredKeys: ["name"] }), { maxLength: 3 }),
    },
    { requiredKeys: ["name", "tool", "server", "description", "parameters"] },
  ),
  { selector: ({ name }) => name, maxLength: 12 },
);

describe("for any tools and any query", () => {
  test("what comes is at most the limit, without repetition, falling, above 0, and the same in any order of the tools", () => {
    fc.assert(
      fc.property(documents, text, fc.nat({ max: 15 }), (tools, query, limit) => {
        const ranked = createSearchIndex(tools).search(query, limit);
        expect(ranked.length).toBeLessThanOrEqual(limit);
        expect(new Set(ranked.map(({ document }) => document.name)).size).toBe(ranked.length);
        expect(ranked.map(({ score }) => score)).toEqual(ranked.map(({ score }) => score).sort((a, b) => b - a));
        expect(ranked.every(({ score }) => score > 0 && Number.isFinite(score))).toBe(true);
        expect(createSearchIndex(tools.toReversed()).search(query, limit)).toEqual([...ranked]);
        expect(createSearchIndex(tools).search(query, 15).slice(0, limit)).toEqual([...ranked]);
      }),
    );
  });

  test("a published name or a tool's own name finds such a tool first", () => {
    fc.assert(
      fc.property(documents, fc.nat(), fc.boolean(), (tools, at, byName) => {
        fc.pre(tools.length > 0);
        const wanted = tools[at % tools.length];
        const query = (byName ? wanted?.name : wanted?.tool)?.toUpperCase() ?? "";
        const same = (name: string) => name.trim().toLowerCase() === query.trim().toLowerCase();
        fc.pre(tools.some(({ name, tool: own }) => same(name) || same(own))); // not every letter comes back from upper case
        const [first] = createSearchIndex(tools).search(query, 1);
        expect(same(first?.document.name ?? "") || same(first?.document.tool ?? "")).toBe(true);
      }),
    );
  });

  test("servers come with the best at 1, falling, in two decimals, with at most three of their own tools", () => {
    fc.assert(
      fc.property(documents, text, fc.nat({ max: 4 }), (tools, query, limit) => {
        const ranked = createSearchIndex(tools).servers(query, limit);
        expect(ranked.length).toBeLessThanOrEqual(limit);
        if (ranked.length > 0) expect(ranked[0]?.score).toBe(1);
        expect(ranked.map(({ score }) => score)).toEqual(ranked.map(({ score }) => score).sort((a, b) => b - a));
        for (const { server, score, tools: best } of ranked) {
          expect(score).toBe(Number(score.toFixed(2)));
          expect(score).toBeGreaterThan(0);
          expect(best.length).toBe(Math.min(3, tools.filter((one) => one.server === server).length));
          expect(best.every((one) => one.server === server)).toBe(true);
        }
      }),
    );
  });
});

test("a query and texts beyond all measure are read in part", () => {
  const long = tool("a__x", `needle ${"hay ".repeat(500_000)}`, {
    parameters: Array.from({ length: 10_000 }, (_, at) => ({ name: `p${at}`, description: "y".repeat(10_000) })),
  });
  expect(found([long, tool("b__y")], `needle ${"word ".repeat(500_000)}`)).toEqual(["a__x"]);
  expect(found([tool("b__y", "x".repeat(1_000_000))], "x".repeat(1_000_000))).toEqual(["b__y"]);
});
