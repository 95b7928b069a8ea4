/** `toolcrib config`: judge the configuration, show it, print its schema. */
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { type Loaded, type LoadResult, loadConfig } from "../config/load.ts";
import { formatProblem, type Problem, showPath } from "../config/problems.ts";
import { redactedConfig } from "../config/redacted.ts";
import { configJsonSchema } from "../config/schema.ts";
import { missingSecrets, writtenSecrets } from "../config/secret-references.ts";
import { familyOf } from "../secrets/patterns.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";
import { EXIT, failure } from "./exit.ts";
import { dim, print, printJson } from "./print.ts";
import { secretLookup } from "./secret-store.ts";
import { table } from "./table.ts";

interface ConfigFlags extends DataFlag {
  readonly config?: string;
  readonly json?: true;
}

export function configVerb(program: Command): void {
  const config = program.command("config").description("judge the configuration, show it, print its schema");
  config
    .command("check")
    .description("say what is wrong with the configuration; ends 78 when it cannot be used")
    .option("--config <file>", "configuration (JSONC)")
    .option("--data <dir>", "data folder, for the secrets that the configuration names")
    .option("--json", "as JSON")
    .action(check);
  config
    .command("show")
    .description("print the configuration with its defaults; references stay unresolved, secrets are masked")
    .option("--config <file>", "configuration (JSONC)")
    .option("--origin", "say where each value was written")
    .option("--json", "as JSON")
    .action(show);
  config
    .command("schema")
    .description("print the JSON Schema of the configuration, for editors")
    .action(() => printJson(configJsonSchema()));
}

const load = ({ config }: ConfigFlags): LoadResult => loadConfig(config === undefined ? {} : { flag: config });

function check(flags: ConfigFlags): void {
  const result = load(flags);
  const { ok, file } = result;
  const warnings = [...result.warnings, ...(ok ? [...writtenSecrets(result), ...unknownSecrets(result, dataFolderOf(flags))] : [])];
  const errors = ok ? [] : result.errors;
  if (!ok) process.exitCode = EXIT.config;
  if (flags.json) {
    printJson({ ok, ...(file !== undefined && { file }), errors, warnings });
    return;
  }
  for (const error of errors) print(`error: ${formatProblem(error)}`);
  for (const warning of warnings) print(`warning: ${formatProblem(warning)}`);
  if (ok)
    print(
      `${file ?? "there is no configuration file, the defaults"} can be used (${count(Object.keys(result.config.mcpServers).length, "server")})`,
    );
}

/** Only where there is a data folder: elsewhere nobody knows. */
function unknownSecrets(loaded: Loaded, folder: string): Problem[] {
  if (!existsSync(folder)) return [];
  const damaged: string[] = [];
  const missing = missingSecrets(
    loaded,
    secretLookup(folder, (problem) => damaged.push(problem)),
  );
  const whole = { file: folder, line: 0, column: 0, path: "" };
  return [...new Set(damaged)].map((message): Problem => ({ ...whole, message })).concat(missing);
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;

function show({ origin, json, ...flags }: ConfigFlags & { origin?: true }): void {
  const result = load(flags);
  if (!result.ok) throw failure(EXIT.config, result.errors.map(formatProblem).join("\n"));
  const config = redactedConfig(result.config, { family: familyOf });
  const { file, origins } = result;
  if (json) printJson({ ...(file !== undefined && { file }), config, ...(origin && { origins }) });
  else if (origin) {
    const rows = leaves(config).map(([path, value]) => [path, JSON.stringify(value), placeOf(path, origins)]);
    print(table(["KEY", "VALUE", "FROM"], rows));
    if (file === undefined) print(dim("there is no configuration file"));
  } else printJson(config);
}

/** Where the key was written, or the value that it was read from (`listen.port` from `listen`). */
function placeOf(path: string, origins: Loaded["origins"]): string {
  for (let key = path; key !== ""; key = key.replace(/(?:\.[^.[\]]*|\[[^[\]]*\]|^[^.[\]]*)$/, "")) {
    const place = Object.hasOwn(origins, key) ? origins[key] : undefined;
    if (!place) continue;
    const isWhole = key === path || !Object.keys(origins).some((other) => other.startsWith(`${key}.`) || other.startsWith(`${key}[`));
    return isWhole ? `${place.seeded ? "seeded by " : ""}${place.file}:${place.line}` : "default";
  }
  return "default";
}

function leaves(value: unknown, path: readonly (string | number)[] = []): [string, unknown][] {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return [[showPath(path), value]];
  const entries = Array.isArray(value) ? value.map((item, index) => [index, item] as const) : Object.entries(value);
  return entries.flatMap(([key, item]) => leaves(item, [...path, key]));
}
