/** Walks the values of a server entry that may hold references, and knows by which name each is known: an env key, a header, a flag. */
import { type KeyPath, showPath } from "./problems.ts";
import type { PlacedEntry } from "./schema.ts";

export interface Text {
  /** Its path in the configuration. */
  readonly where: string;
  /** The name that tells what it is (an env key, a header, a flag before it); empty when nothing does. */
  readonly key: string;
  /** As written, without a leading `--flag=` or `Header:`, which is kept aside and put back. */
  readonly template: string;
}

/** The same entry with `command`, `args`, `env`, `cwd`, `url` and `headers` changed value by value. */
export function mapTexts(name: string, entry: PlacedEntry, change: (text: Text) => string): PlacedEntry {
  const at = (...keys: (string | number)[]) => showPath(["mcpServers", name, ...keys]);
  const record = (group: string, values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([key, template]) => [key, change({ where: at(group, key), key, template })]));
  if (entry.kind === "http") {
    const url = change({ where: at("url"), key: "", template: entry.url });
    return { ...entry, url, headers: record("headers", entry.headers) };
  }
  const args = mapArguments(["mcpServers", name, "args"], entry.args, change);
  const command = change({ where: at("command"), key: "", template: entry.command });
  const cwd = entry.cwd === undefined ? {} : { cwd: change({ where: at("cwd"), key: "", template: entry.cwd }) };
  return { ...entry, command, args, env: record("env", entry.env), ...cwd };
}

/** The same arguments of a program, changed one by one; `path` is where they stand. */
export const mapArguments = (path: KeyPath, args: readonly string[], change: (text: Text) => string): string[] =>
  args.map((written, i) => {
    const { prefix, key } = flagOf(written, args[i - 1]);
    return prefix + change({ where: showPath([...path, i]), key, template: written.slice(prefix.length) });
  });

/** `--api-key=x`, `API_KEY=x`, `Authorization: x`, or `x` after `--api-key`. */
function flagOf(written: string, before: string | undefined): { prefix: string; key: string } {
  const [prefix, name] = /^(-{0,2}[A-Za-z][\w.-]*)(?:=|:(?!\/\/)\s*)/.exec(written) ?? [];
  if (prefix !== undefined && name !== undefined) return { prefix, key: name };
  const isFlag = before !== undefined && /^--?[A-Za-z][\w-]*$/.test(before);
  return { prefix: "", key: isFlag && !written.startsWith("-") ? before : "" };
}
