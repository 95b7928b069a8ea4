/** Tool search on the catalogue and the tasks of LiveMCPBench. */
import { describe, expect, test } from "bun:test";
import { createSearchIndex } from "../../actors/rank.ts";
import { plainBm25, points } from "./other-rankings.ts";
import { hitAt, readSuite, remembered } from "./tool-search.ts";

const suites = process.env["TOOLCRIB_SUITES"];

describe.skipIf(suites === undefined)("LiveMCPBench (set TOOLCRIB_SUITES to run)", () => {
  const suite = readSuite(suites ?? "");
  const { documents, steps, questions } = suite ?? { documents: [], steps: [], questions: [] };
  const index = createSearchIndex(documents);
  const ours = remembered((query) => index.search(query, 10).map(({ document }) => document));
  const [plain, counted] = [remembered(plainBm25(documents)), remembered(points(documents))];

  test("the catalogue is there as published", () => {
    expect([documents.length, steps.length, questions.length]).toEqual([527, 172, 62]);
  });

  test("of all steps, 70 % find a tool of their task among the first five, and 9 % more than with plain BM25", () => {
    const [own, other] = [hitAt(5, ours, steps), hitAt(5, plain, steps)];
    expect(own).toBeGreaterThanOrEqual(0.7);
    expect(own - other).toBeGreaterThanOrEqual(0.09);
  });

  test.each([1, 5, 10])("the first %i hold a wanted tool more often than with plain BM25 or points, for steps and questions", (count) => {
    for (const cases of [steps, questions]) {
      const own = hitAt(count, ours, cases);
      for (const other of [plain, counted]) expect(own).toBeGreaterThan(hitAt(count, other, cases));
    }
  });

  test.each([0, 1])("so they do in half %i of the tasks", (half) => {
    const own = steps.filter((one) => one.half === half);
    expect(hitAt(5, ours, own)).toBeGreaterThanOrEqual(0.7);
    expect(hitAt(5, ours, own)).toBeGreaterThan(hitAt(5, plain, own));
  });

  test("every tool is found first by its published name", () => {
    for (const { name } of documents) expect(index.search(name, 1)[0]?.document.name).toBe(name);
  });
});
