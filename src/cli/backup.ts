/** `toolcrib backup`: a copy of the log while its owner runs. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { backupToFile, backupToFolder } from "../log/backup.ts";
import type { DataFlag } from "./data-folder.ts";
import { print, printJson } from "./print.ts";
import { reading } from "./reading.ts";

export function backupVerb(program: Command): void {
  program
    .command("backup")
    .description(
      "copy the log while toolcrib runs: into one SQLite file, or (a name that ends with / or an empty folder) a whole data folder",
    )
    .argument("<file>", "the file to make, with its anchor beside it; or a folder, which gets the keys, too")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action(copy);
}

async function copy(target: string, { json, ...flags }: DataFlag & { json?: true }): Promise<void> {
  const to = resolve(target);
  const isFolder = target.endsWith("/") || (existsSync(to) && statSync(to).isDirectory());
  await reading(flags, (_, from) => {
    if (isFolder) backupToFolder(from, to);
    else backupToFile(from, to);
    const anchor = isFolder ? `${to}/anchor` : `${to}.anchor`;
    const position = Number(readFileSync(anchor, "utf8").split("\n")[1]);
    const next = isFolder ? `check it with "toolcrib verify --data ${to}"` : `its signed head stands in ${anchor}`;
    if (json) printJson({ from, to, anchor, position });
    else print(`copied the log of ${from} to ${to}, at least up to position ${position}; ${next}`);
  });
}
