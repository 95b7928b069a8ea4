/** `toolcrib backup`: a copy of the log while its owner runs. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { readAnchor } from "../log/anchor.ts";
import { backup } from "../log/backup.ts";
import type { DataFlag } from "./data-folder.ts";
import { print, printJson } from "./print.ts";
import { reading } from "./reading.ts";

export function backupVerb(program: Command): void {
  program
    .command("backup")
    .description("copy the log into a new folder, also while toolcrib runs; the copy can be verified and read like the original")
    .argument("<file>", "the folder to make; missing or empty")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action(copy);
}

async function copy(target: string, { json, ...flags }: DataFlag & { json?: true }): Promise<void> {
  const to = resolve(target);
  await reading(flags, (_, from) => {
    backup(from, to);
    const position = readAnchor(to)?.position ?? 0;
    if (json) printJson({ from, to, position });
    else print(`copied the log of ${from} to ${to}, at least up to position ${position}; check it with "toolcrib verify --data ${to}"`);
  });
}
