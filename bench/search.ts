/** `bun run bench:search`: how often tool search finds the right tool on LiveMCPBench, beside two simple rankings, and how long it takes. `--keep` writes the figures into RESULTS.md. */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { createSearchIndex, type ToolDocument } from "../actors/rank.ts";
import { plainBm25, points } from "../test/suites/other-rankings.ts";
import { type Case, hitAt, type Ranking, readSuite, remembered, type Suite } from "../test/suites/tool-search.ts";
import { table } from "./report.ts";
import { replaceSection, SEARCH } from "./sections.ts";
import { REPOSITORY } from "./systems.ts";

const ROUNDS = 15;
const BUILDS = 10;
const LARGE = 5_000;

/** More tools of the same kind: copies of the catalogue whose longer words differ in part, so that the number of different words grows, too. */
function enlarged(documents: readonly ToolDocument[], size: number): readonly ToolDocument[] {
  const copies = Math.ceil(size / documents.length);
  const all = Array.from({ length: copies }, (_, copy) => {
    const changed = (word: string): string => ((word.length * 7 + word.charCodeAt(1) + copy) % 5 === 0 ? `${word}q${copy}` : word);
    const other = (text: string): string => (copy === 0 ? text : text.replace(/\b\w{5,}\b/g, changed));
    return documents.map((document) => {
      const { name, server, description, summary = "" } = document;
      return {
        ...document,
        name: `${name}_${copy}`,
        server: `${server}_${copy}`,
        description: other(description),
        summary: other(summary),
      };
    });
  });
  return all.flat().slice(0, size);
}

const at = (share: number, sorted: readonly number[]): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;

interface Spent {
  readonly wall: number;
  /** Of all threads of this process: less than wall where others have the machine, more where the engine compiles or collects beside us. */
  readonly cpu: number;
}

function spend(run: () => unknown): Spent {
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  run();
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { wall, cpu: (user + system) / 1_000 };
}

const sorted = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b);

function times(documents: readonly ToolDocument[], queries: readonly string[]): readonly string[] {
  const builds = Array.from({ length: BUILDS }, () => spend(() => createSearchIndex(documents)));
  const index = createSearchIndex(documents);
  const rounds = Array.from({ length: ROUNDS }, () => queries.map((query) => spend(() => index.search(query, 10))));
  const walls = sorted(rounds.flat().map(({ wall }) => wall));
  const best = sorted(queries.map((_, query) => Math.min(...rounds.map((round) => round[query]?.wall ?? 0))));
  const cpu = rounds.flat().reduce((sum, one) => sum + one.cpu, 0) / (ROUNDS * queries.length);
  return [
    documents.length.toLocaleString("en-US"),
    `${at(0.5, best).toFixed(2)} / ${at(0.99, best).toFixed(2)}`,
    `${at(0.5, walls).toFixed(2)} / ${at(0.99, walls).toFixed(2)}`,
    cpu.toFixed(2),
    `${Math.min(...builds.map(({ wall }) => wall)).toFixed(0)} / ${Math.min(...builds.map((one) => one.cpu)).toFixed(0)}`,
  ];
}

function quality({ documents, steps, questions }: Suite): string {
  const index = createSearchIndex(documents);
  const rankings: readonly (readonly [string, Ranking])[] = [
    ["toolcrib", remembered((query) => index.search(query, 10).map(({ document }) => document))],
    ["plain BM25", remembered(plainBm25(documents))],
    ["points", remembered(points(documents))],
  ];
  const hits = (ranking: Ranking, cases: readonly Case[]): string =>
    [1, 5, 10].map((count) => hitAt(count, ranking, cases).toFixed(3)).join(" / ");
  const half = (which: 0 | 1): readonly Case[] => steps.filter((one) => one.half === which);
  const groups = [
    [`${steps.length} steps`, steps],
    [`first half: ${half(0).length}`, half(0)],
    [`second half: ${half(1).length}`, half(1)],
    [`${questions.length} whole questions`, questions],
  ] as const;
  return table([
    ["hit@1 / 5 / 10", ...groups.map(([name]) => name)],
    ...rankings.map(([name, ranking]) => [name, ...groups.map(([, cases]) => hits(ranking, cases))]),
  ]);
}

function section(suite: Suite): string {
  const load = loadavg()[0] ?? 0;
  const queries = [...suite.steps, ...suite.questions].map(({ query }) => query);
  const speed = table([
    ["tools", `query, best of ${ROUNDS}: p50 / p99 ms`, "all queries: p50 / p99 ms", "CPU ms a query", "index, best: ms / CPU ms"],
    ...[suite.documents, enlarged(suite.documents, LARGE)].map((documents) => times(documents, queries)),
  ]);
  return `${SEARCH}

Written by \`bun run bench:search --keep\` on ${new Date().toISOString().slice(0, 10)}, on LiveMCPBench: ${suite.documents.length} tools of 70 servers. No model takes part.

A step is found when one of the tools that the annotator used for its task is among the first 1, 5 or 10. Which tool a step used is not in the data, so any tool of its task counts,
and all steps count, also those that no tool is for ("write the answer"): nothing can find 100 %. The halves are the tasks by a hash of their id. Plain BM25 has one text per tool,
no weights and no stems; points are those of a common integer scoring (words of the name 80, of the description 10).

${quality(suite)}

Times of one query after the other. The machine is shared (load average ${load.toFixed(1)} on ${cpus().length} cores), so every query's best of ${ROUNDS} rounds says more than all of them, and CPU more than time.
The larger catalogue is made of altered copies. Goals: hit@5 of steps ≥ 0.70 and ≥ 0.09 above plain BM25, a query ≤ 2 ms at 527 tools and ≤ 10 ms at 5,000.

${speed}
`;
}

function main(): number {
  const folder = process.env["TOOLCRIB_SUITES"];
  const suite = folder === undefined ? undefined : readSuite(folder);
  if (suite === undefined) {
    const missing = folder === undefined ? "TOOLCRIB_SUITES is not set" : `${folder} holds no livemcpbench`;
    console.error(
      `${missing}. Set it to a folder with livemcpbench/tools.json (the catalogue) and livemcpbench/tasks.jsonl (one task a line).`,
    );
    return 2;
  }
  const text = section(suite);
  console.log(text);
  const results = join(REPOSITORY, "bench", "RESULTS.md");
  if (process.argv.includes("--keep")) writeFileSync(results, replaceSection(readFileSync(results, "utf8"), SEARCH, text));
  return 0;
}

process.exit(main());
