/** The LiveMCPBench catalogue and tasks as a measure of tool search: what is asked, and what counts as found. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolDocument } from "../../actors/rank.ts";

interface CatalogueEntry {
  readonly name: string;
  readonly description?: string;
  readonly tools: Readonly<Record<string, { readonly tools: readonly CatalogueTool[] }>>;
}
interface CatalogueTool {
  readonly name: string;
  readonly description?: string | null;
  readonly inputSchema?: { readonly properties?: Readonly<Record<string, { readonly description?: unknown } | boolean>> } | null;
}
interface Task {
  readonly task_id: string;
  readonly question: string;
  readonly steps: readonly string[];
  readonly tools: readonly string[];
}

/** One search, and the tools' own names of which one must be found. */
export interface Case {
  readonly query: string;
  readonly wanted: ReadonlySet<string>;
  /** All cases of a task are in the same half; which one, a hash of the task's id says. */
  readonly half: 0 | 1;
}

export interface Suite {
  readonly documents: readonly ToolDocument[];
  /** Every step of every task, also those that no tool of the catalogue is for: the data does not say which tool a step used, so any tool of its task will do. */
  readonly steps: readonly Case[];
  /** The question of every task; any of its tools will do. */
  readonly questions: readonly Case[];
}

/** The best tools for a query, the best first. */
export type Ranking = (query: string) => readonly ToolDocument[];

function document(server: string, entry: CatalogueEntry, { name, description, inputSchema }: CatalogueTool): ToolDocument {
  const parameters = Object.entries(inputSchema?.properties ?? {}).map(([parameter, schema]) => {
    const text = typeof schema === "object" ? schema.description : undefined;
    return { name: parameter, ...(typeof text === "string" && { description: text }) };
  });
  const texts = { serverTitle: entry.name, summary: entry.description ?? "", description: description ?? "" };
  return { name: `${server}__${name}`, tool: name, server, parameters, ...texts };
}

function halfOf(id: string): 0 | 1 {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(id)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0; // FNV-1a
  return ((hash >>> 16) & 1) === 0 ? 0 : 1;
}

/** Undefined where the folder of suites does not hold the catalogue. */
export function readSuite(folder: string): Suite | undefined {
  const [tools, tasks] = ["tools.json", "tasks.jsonl"].map((file) => join(folder, "livemcpbench", file));
  if (tools === undefined || tasks === undefined || !existsSync(tools) || !existsSync(tasks)) return undefined;
  const entries: readonly CatalogueEntry[] = JSON.parse(readFileSync(tools, "utf8"));
  const documents = entries.flatMap((entry) =>
    Object.entries(entry.tools).flatMap(([server, { tools: own }]) => own.map((tool) => document(server, entry, tool))),
  );
  const asked: readonly Task[] = readFileSync(tasks, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const caseOf = (task: Task, query: string): Case => ({ query, wanted: new Set(task.tools), half: halfOf(task.task_id) });
  return {
    documents,
    steps: asked.flatMap((task) => task.steps.map((step) => caseOf(task, step))),
    questions: asked.map((task) => caseOf(task, task.question)),
  };
}

/** The same ranking, asked once for each query. */
export function remembered(rank: Ranking): Ranking {
  const known = new Map<string, readonly ToolDocument[]>();
  return (query) => {
    const before = known.get(query) ?? rank(query);
    known.set(query, before);
    return before;
  };
}

/** Share of the cases with a wanted tool among the first `count`. */
export function hitAt(count: number, rank: Ranking, cases: readonly Case[]): number {
  const isHit = ({ query, wanted }: Case) =>
    rank(query)
      .slice(0, count)
      .some(({ tool }) => wanted.has(tool));
  return cases.filter(isHit).length / cases.length;
}
