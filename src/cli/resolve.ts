/** `toolcrib resolve`: says what became of a call in doubt. */
import { Argument, type Command } from "commander";
import { askDaemon, errorOf } from "./daemon-client.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";
import { EXIT, failure } from "./exit.ts";
import { inline, print, printJson } from "./print.ts";

interface ResolveFlags extends DataFlag {
  readonly note: string;
  readonly json?: true;
}

export function resolveVerb(program: Command): void {
  program
    .command("resolve")
    .description("settle a call in doubt, after you have looked whether it was carried out")
    .argument("<call>", "as `toolcrib doubts` lists it")
    .addArgument(new Argument("<outcome>", "what became of it").choices(["applied", "not-applied"]))
    .requiredOption("--note <text>", "how you know; it is recorded with your name")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action(resolve);
}

async function resolve(call: string, outcome: string, { note, json, ...flags }: ResolveFlags): Promise<void> {
  const request = JSON.stringify({ outcome: outcome.replace("-", "_"), note });
  const { status, body } = await askDaemon(dataFolderOf(flags), "POST", `/v1/doubts/${encodeURIComponent(call)}`, request);
  const error = errorOf(body);
  if (error) throw failure(status === 403 ? EXIT.notPermitted : EXIT.failed, `${error.message} "toolcrib doubts" lists the open ones`);
  if (json) return printJson(body);
  const { server, tool, outcome: settled, by } = body as Readonly<Record<string, string>>;
  print(`${call} (${inline(tool ?? "")} of ${server}) is resolved: ${settled}, by ${by}`);
}
