/** What is wrong with a configuration, said so that the person who wrote it can put it right. Values are never repeated: they may be secrets. */

/** Where something stands. `line` and `column` count from 1; 0 when the trouble has no place in a file. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Problem extends Place {
  /** The key, e.g. `mcpServers.github.args[0]`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** The message about a key that means nothing where it stands. */
export const UNKNOWN_KEY = "is not a known key";

export type KeyPath = readonly (string | number)[];

/** `["mcpServers", "a.b", "args", 0]` → `mcpServers["a.b"].args[0]`. */
export function showPath(path: KeyPath): string {
  let text = "";
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else if (/^[A-Za-z0-9_$*-]+$/.test(key)) text += text === "" ? key : `.${key}`;
    else text += `[${JSON.stringify(key)}]`;
  }
  return text;
}

/** `toolcrib.jsonc:3:5`. */
export const formatPlace = ({ file, line, column }: Place): string => (line > 0 ? `${file}:${line}:${column}` : file);

/** `toolcrib.jsonc:3:5: bridge.naming: …; hint`. */
export function formatProblem(problem: Problem): string {
  const subject = problem.path === "" ? "" : `${problem.path}: `;
  const hint = problem.hint === undefined ? "" : ` (${problem.hint})`;
  return `${formatPlace(problem)}: ${subject}${problem.message}${hint}`;
}
