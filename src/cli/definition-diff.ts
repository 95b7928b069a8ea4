/** Two definitions side by side, part by part, for a person who is to accept the newer one. */
import { showInvisible } from "../../actors/visible-text.ts";
import type { Definition } from "./pending.ts";
import { dim, red } from "./print.ts";

const PARTS = ["title", "description", "inputSchema", "outputSchema", "annotations", "arguments"];
/** Lines of one side that are shown of one part. */
const MAX_LINES = 40;
/** Equal lines that are shown before and after what differs. */
const CONTEXT = 2;

/** Lines of each part that differs, `-` for what was accepted and `+` for what is offered. */
export function definitionDiff(accepted: Definition | undefined, offered: Definition): string[] {
  return PARTS.flatMap((part) => {
    const before = linesOf(accepted?.[part]);
    const after = linesOf(offered[part]);
    const lines = difference(before, after);
    return lines.length === 0 ? [] : [`  ${part}`, ...lines.map((line) => `    ${line}`)];
  });
}

function linesOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  return (typeof value === "string" ? value : JSON.stringify(value, null, 2)).split("\n").map(showInvisible);
}

/** What stands between the first and the last line that differ. */
function difference(before: readonly string[], after: readonly string[]): string[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  if (head === before.length && head === after.length) return [];
  const equal = (lines: readonly string[]) => lines.map((line) => dim(`  ${line}`));
  return [
    ...equal(before.slice(Math.max(0, head - CONTEXT), head)),
    ...side("-", before.slice(head, before.length - tail)),
    ...side("+", after.slice(head, after.length - tail)),
    ...equal(before.slice(before.length - tail, before.length - tail + CONTEXT)),
  ];
}

function side(mark: "-" | "+", lines: readonly string[]): string[] {
  const shown = lines.slice(0, MAX_LINES).map((line) => (mark === "-" ? red(`${mark} ${line}`) : `${mark} ${line}`));
  return lines.length <= MAX_LINES ? shown : [...shown, `${mark} … ${lines.length - MAX_LINES} more lines: --json shows everything`];
}
