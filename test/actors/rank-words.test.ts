/** How the tool search reads text: words, their stems, and what a question says. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readQuery } from "../../actors/rank/query.ts";
import { isSlip } from "../../actors/rank/reach.ts";
import { stemOf } from "../../actors/rank/stem.ts";
import { synonymsOf } from "../../actors/rank/synonyms.ts";
import { piecesOf, runsOf } from "../../actors/rank/words.ts";

test.each([
  ["get_user-name.v2", ["get", "user", "name", "v2"]],
  ["it's a b/c", ["it", "s", "a", "b", "c"]],
  ["naïve Größe", ["naïve", "Größe"]],
  ["…!", []],
])("%s has the runs %p", (text, runs) => {
  expect(runsOf(text)).toEqual(runs);
});

test.each([
  ["getUserName", ["get", "user", "nam"], "getusernam"],
  ["PDFFile", ["pdf", "fil"], "pdffil"],
  ["URLs", ["url"], undefined],
  ["parseURLs", ["pars", "url"], "parseurl"],
  ["36kr", ["36kr"], undefined],
  ["GitHub", ["git", "hub"], "github"],
  ["Ünïcode", ["unicod"], undefined],
  ["ﬁle", ["fil"], undefined],
  ["天气预报", ["天气", "气预", "预报"], undefined],
  ["中", ["中"], undefined],
  ["查询mcp", ["查询", "mcp"], undefined],
  ["한국어", ["한국어"], undefined],
])("%s is taken apart into %p", (run, parts, whole) => {
  expect(piecesOf(run)).toEqual({ parts, whole });
});

describe("forms of a word have one stem:", () => {
  test.each([
    ["file files"],
    ["query queries querying queried"],
    ["convert converts converted converting converter"],
    ["stop stopped stopping"],
    ["create creates created creating creation creator"],
    ["calculate calculating calculation calculator"],
    ["analyze analyse analyzed analysis analyzer"],
    ["organize organise organization organisation"],
    ["box boxes"],
    ["match matches matching"],
    ["address addresses"],
  ])("%s", (forms) => {
    expect(new Set(forms.split(" ").map(stemOf)).size).toBe(1);
  });

  test.each([["new news"], ["status statistic"], ["us use"], ["test text"], ["red read"]])("but not those of %s", (words) => {
    expect(new Set(words.split(" ").map(stemOf)).size).toBe(2);
  });
});

test("synonyms go both ways and no word is its own", () => {
  expect([...synonymsOf(stemOf("folder"))]).toContain(stemOf("directory"));
  for (const word of ["find", "read", "document", "picture"].map(stemOf)) {
    const synonyms = [...synonymsOf(word)];
    expect(synonyms.length).toBeGreaterThan(0);
    expect(synonyms).not.toContain(word);
    for (const synonym of synonyms) expect([...synonymsOf(synonym)]).toContain(word);
  }
});

test.each([
  ["browser", "broswer", true],
  ["calculate", "caculate", true],
  ["trend", "treend", true],
  ["weather", "wether", true],
  ["weather", "whether", false],
  ["weather", "wheaters", false],
  ["read", "write", false],
  ["abcd", "badc", false],
])("%s and %s: one slip away is %p", (a, b, slip) => {
  expect(isSlip(a, b)).toBe(slip);
  expect(isSlip(b, a)).toBe(slip);
});

const read = (query: string, known: readonly string[] = []) => Object.fromEntries(readQuery(query, (word) => known.includes(word)));

test("empty words say nothing, weak ones little, and alone even they are looked for", () => {
  expect(read("Please get me the weather")).toEqual({ get: 0.5, weath: 1 });
  expect(read("who am I")).toEqual({ who: 1, am: 1, i: 1 });
  expect(read("")).toEqual({});
});

test("a path stands for a file of its kind, a link for a page", () => {
  expect(read("write /tmp/plan.md")).toEqual({ writ: 1, tmp: 0.3, plan: 0.3, md: 1, fil: 0.5 });
  expect(read("fetch (https://example.org/weather).")).toMatchObject({ fetch: 1, weath: 0.3, url: 0.5, web: 0.5, pag: 0.5 });
  expect(read("and/or 24/7 v1.2")).not.toHaveProperty("fil");
});

test("neighbours are also one word, and a word with humps is several, where documents write it so", () => {
  expect(read("data base", ["databas"])).toMatchObject({ bas: 1, databas: 0.7 });
  expect(read("data base")).not.toHaveProperty("databas");
  expect(read("GitHub", ["github"])).toEqual({ github: 1 });
  expect(read("GitHub")).toEqual({ git: 1, hub: 1 });
});

test("a mark without a letter is no word", () => {
  expect([...readQuery("\u0300 mail", () => true).keys()]).toEqual([...readQuery("mail", () => true).keys()]);
});

test("any text is read, in bounds", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 5_000 }), (text) => {
      const words = readQuery(text, () => true);
      expect(words.size).toBeLessThanOrEqual(48);
      for (const [word, weight] of words) {
        expect(word).not.toBe("");
        expect(weight).toBeGreaterThan(0);
        expect(weight).toBeLessThanOrEqual(1);
      }
    }),
  );
});
