/** The tour of README.md as steps: commands as they stand there, and what it shows of their output. */
import { readFileSync } from "node:fs";

export interface Step {
  readonly command: string;
  /** Lines without indentation; `…` stands for anything. */
  readonly shown: readonly string[];
}

const INDENT = "    ";
const PROMPT = `${INDENT}$ `;

/** Every `$ command` between this heading and the next. */
export function tourSteps(page: string, heading: string): Step[] {
  const [, rest = ""] = readFileSync(page, "utf8").split(`\n## ${heading}\n`);
  const steps: { command: string; shown: string[] }[] = [];
  for (const line of (rest.split("\n## ")[0] ?? "").split("\n")) {
    if (line.startsWith(PROMPT)) steps.push({ command: line.slice(PROMPT.length), shown: [] });
    else if (line.startsWith(INDENT) && line.trim() !== "…") steps.at(-1)?.shown.push(line.trim());
  }
  return steps;
}

/** What is another one in each run: ids, hashes, times, and every figure that is not part of a word. */
const VARIES =
  /(?<id>\b[caqt]_[0-9a-z]+(?:-[0-9a-z]+)?)|(?<hash>\b(?:s_)?[0-9a-f]{8}[0-9a-f]*…?)|(?<time>\d{4}-\d\d-\d\dT[\d:.]+Z)|(?<number>(?<![\w.-])\d+(?![\w.-]))|(?<blank>\s+)|(?<any>…)/g;
const PATTERNS: Readonly<Record<string, string>> = {
  id: "([caqt]_[0-9a-z]+(?:-[0-9a-z]+)?)",
  hash: "(?:s_)?[0-9a-f]{8,}…?",
  time: "\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z",
  number: "\\d+",
  blank: "\\s+",
  any: ".*",
};
const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Finds the line in an output, and learns the ids that stand in it. Undefined: the output does not have it. */
export function learned(line: string, output: string): ReadonlyMap<string, string> | undefined {
  const ids: string[] = [];
  let pattern = "";
  let end = 0;
  for (const { 0: text, index, groups = {} } of line.matchAll(VARIES)) {
    const [kind = ""] = Object.entries(groups).find(([, value]) => value !== undefined) ?? [];
    if (kind === "id") ids.push(text);
    pattern += literally(line.slice(end, index)) + (PATTERNS[kind] ?? "");
    end = index + text.length;
  }
  const found = new RegExp(`^\\s*${pattern}${literally(line.slice(end))}$`, "m").exec(output);
  return found ? new Map(ids.map((id, index) => [id, found[index + 1] ?? id])) : undefined;
}
