/** `toolcrib import`: translates the configuration files of MCP clients. It writes no file of the operator; what it found goes to stdout. */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import type { Command } from "commander";
import { blockOf, moveSecrets } from "../import/block.ts";
import { type ImportedFile, importFile } from "../import/import-file.ts";
import { SECRET_KIND } from "../secrets/sealed.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";
import { complain, EXIT, failure } from "./exit.ts";
import { importReport } from "./import-report.ts";
import { print, printJson } from "./print.ts";
import { openSecrets, secretLookup, tellDaemon } from "./secret-store.ts";

interface ImportFlags extends DataFlag {
  readonly dryRun?: true;
  readonly json?: true;
  readonly out?: string;
  readonly moveSecrets?: true;
}

export function importVerb(program: Command): void {
  program
    .command("import")
    .description("translate the MCP servers of other clients' configuration files; prints them as a block for toolcrib.jsonc")
    .argument("<file...>", "configuration files of Claude, VS Code, Cursor, Windsurf, Cline, Zed, Gemini, Codex and others")
    .option("--dry-run", "only say what would be carried over and what not")
    .option("--json", "say it as JSON")
    .option("--out <file>", "write the block into this new file instead of printing it")
    .option("--move-secrets", "put secrets that stand in the files as text into the secret store, and references in their place")
    .option("--data <dir>", "data folder, for --move-secrets")
    .action(importFiles);
}

async function importFiles(paths: readonly string[], { dryRun, json, out, moveSecrets: moves, ...flags }: ImportFlags): Promise<void> {
  const read = paths.map(fileOf);
  const folder = dataFolderOf(flags);
  const { files, values } = moves ? moveSecrets(read, secretLookup(folder, complain)) : { files: read, values: new Map<string, string>() };
  const block = blockOf(files);
  const text = JSON.stringify({ mcpServers: block.mcpServers }, null, 2);
  if (files.some(({ error }) => error !== undefined)) process.exitCode = EXIT.data;
  if (!dryRun) {
    const into = out === undefined ? undefined : newFile(out);
    if (values.size > 0) await store(folder, values);
    if (into !== undefined) {
      writeSync(into, `${text}\n`);
      closeSync(into);
      complain(`${out} is written: name it under mcpConfig, or copy it into toolcrib.jsonc`);
    }
  }
  for (const { error } of files) if (error !== undefined) complain(error);
  if (json) return printJson({ files, ...(block.warnings.length > 0 && { warnings: block.warnings }) });
  const report = importReport(files, block.warnings);
  if (dryRun) return print(report);
  process.stderr.write(`${report}\n`);
  if (out === undefined) print(text);
}

function fileOf(path: string): ImportedFile {
  try {
    return importFile(path, readFileSync(path));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    const why = code === "ENOENT" ? `there is no file ${path}: check the path` : `${path} cannot be read (${code})`;
    return { path, dialect: "unknown", servers: [], warnings: [], error: why };
  }
}

/** Only its owner may read it: there may be secrets in it. Throws a `Failure` when it is there already. */
function newFile(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST")
      throw failure(EXIT.failed, `${path} exists already and is left as it is: name a new file`);
    throw error;
  }
}

async function store(folder: string, values: ReadonlyMap<string, string>): Promise<void> {
  const secrets = openSecrets(folder);
  for (const [name, value] of values) if (secrets.get(SECRET_KIND, name) !== value) secrets.put(SECRET_KIND, name, value);
  secrets.close();
  complain(`stored in the secret store: ${[...values.keys()].join(", ")}; ${await tellDaemon(folder)}`);
}
