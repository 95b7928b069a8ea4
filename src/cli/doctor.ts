/** `toolcrib doctor`: looks at everything that has to be right, and says what needs attention. */
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { showInvisible } from "../../actors/visible-text.ts";
import { loadConfig } from "../config/load.ts";
import { askDaemon } from "./daemon-client.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";
import type { Finding } from "./doctor-finding.ts";
import { folderFindings } from "./doctor-folder.ts";
import { configFindings, serverFindings } from "./doctor-servers.ts";
import { toolFindings } from "./doctor-tools.ts";
import { EXIT } from "./exit.ts";
import { dim, print, printJson, red } from "./print.ts";

interface DoctorFlags extends DataFlag {
  readonly config?: string;
  readonly json?: true;
}

export function doctorVerb(program: Command): void {
  program
    .command("doctor")
    .description("look whether everything is in order; ends 1 when something needs attention")
    .option("--config <file>", "configuration (JSONC)")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action(doctor);
}

async function doctor({ config, json, ...flags }: DoctorFlags): Promise<void> {
  const folder = dataFolderOf(flags);
  const file = config ?? (await runningConfig(folder));
  const loaded = loadConfig(file === undefined ? {} : { flag: file });
  const findings = [
    ...configFindings(loaded),
    ...(await folderFindings(folder)),
    ...(loaded.ok ? serverFindings(loaded, folder) : []),
    ...(await toolFindings(folder, loaded)),
  ];
  const ok = findings.every(({ state }) => state !== "attention");
  if (!ok) process.exitCode = EXIT.failed;
  if (json) return printJson({ ok, checks: findings });
  for (const finding of findings) print(line(finding));
  const wrong = findings.filter(({ state }) => state === "attention").length;
  print(ok ? "\neverything is in order" : `\n${wrong} ${wrong === 1 ? "thing needs" : "things need"} attention`);
}

/** The file of the daemon that runs on this folder, as long as it is there. */
async function runningConfig(folder: string): Promise<string | undefined> {
  const { body } = await askDaemon(folder, "GET", "/debug/api/status").catch(() => ({ body: undefined }));
  const { config } = (body ?? {}) as { readonly config?: { readonly file?: string } };
  return config?.file !== undefined && existsSync(config.file) ? config.file : undefined;
}

const MARKS = { ok: "ok  ", note: "note", attention: "!!  " } as const;

function line({ name, state, detail, next }: Finding): string {
  const mark = state === "attention" ? red(MARKS[state]) : dim(MARKS[state]);
  return `${mark}  ${name.padEnd(22)}  ${showInvisible(detail).replaceAll("\n", `\n${" ".repeat(30)}`)}${next === undefined ? "" : `\n${" ".repeat(30)}→ ${next}`}`;
}
