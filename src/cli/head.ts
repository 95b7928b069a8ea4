/** `toolcrib head`: the signed checkpoint of the log, to be kept elsewhere. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { readAnchor } from "../log/anchor.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";
import { EXIT, failure } from "./exit.ts";
import { printJson } from "./print.ts";

export function headVerb(program: Command): void {
  program
    .command("head")
    .description("print the signed head of the log; kept elsewhere it proves later that nothing was cut off (verify --expect-head)")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON, with the key that verifies it")
    .action(head);
}

function head({ json, ...flags }: DataFlag & { json?: true }): void {
  const folder = dataFolderOf(flags);
  const anchor = anchorOf(folder);
  const note = readFileSync(join(folder, "anchor"), "utf8");
  if (json) printJson({ ...anchor, note, key: readFileSync(join(folder, "keys", "anchor.pub"), "utf8").trim() });
  else process.stdout.write(note); // byte for byte: it is signed
}

function anchorOf(folder: string) {
  try {
    const anchor = readAnchor(folder);
    if (anchor) return anchor;
  } catch (error) {
    throw failure(EXIT.data, `${error instanceof Error ? error.message : "the anchor is damaged"}: look at the log with "toolcrib verify"`);
  }
  throw failure(EXIT.data, `there is no anchor in ${folder}: name the data folder of a toolcrib`);
}
