/** What an import found, for people: one paragraph for each file, one line for each server, and under it what they should know. */
import type { ImportedFile, ImportedServer } from "../import/import-file.ts";
import { bold, dim, inline } from "./print.ts";

const INDENT = "    ";

/** Holds no values of the files: they may be secrets. */
export function importReport(files: readonly ImportedFile[], warnings: readonly string[]): string {
  const lines = files.flatMap(({ path, dialect, servers, warnings, error }) => [
    `${bold(inline(path))}  ${error === undefined ? dim(`${dialect}, ${count(servers.length)}`) : error}`,
    ...warnings.map((warning) => `  ${inline(warning)}`),
    ...servers.flatMap(serverLines),
  ]);
  return [...lines, ...warnings.map(inline)].join("\n");
}

const count = (servers: number): string => `${servers} ${servers === 1 ? "server" : "servers"}`;

function serverLines({ name, originalName, entry, notCarried, unknown, secrets, warnings }: ImportedServer): string[] {
  const kind = "command" in entry ? "program" : "url" in entry ? "address" : "cannot be used";
  const renamed = originalName === undefined ? "" : ` (was ${JSON.stringify(originalName)})`;
  const rows = [
    ...notCarried.map(({ field, reason }) => `not carried over: ${field}: ${reason}`),
    ...unknown.map(({ field }) => `unknown, not carried over: ${field}`),
    ...secrets.map(({ field, movedTo }) =>
      movedTo === undefined ? `holds a secret as text: ${field} (--move-secrets stores it)` : `secret stored as ${movedTo}: ${field}`,
    ),
    ...warnings,
  ];
  return [`  ${inline(`${name}${renamed}`)}  ${dim(kind)}`, ...rows.map((row) => INDENT + inline(row))];
}
