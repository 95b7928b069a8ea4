/** `toolcrib tools accept`, `enable` and `disable`: what an operator decides about the tools of a server. */
import type { Command } from "commander";
import { askDaemon, errorOf } from "./daemon-client.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";
import { complain, EXIT, failure } from "./exit.ts";
import { inline, print, printJson } from "./print.ts";

interface Flags extends DataFlag {
  readonly json?: true;
}
interface AcceptFlags extends Flags {
  readonly all?: true;
  readonly hash?: string;
}
interface Accepted {
  readonly server: string;
  readonly accepted: readonly { readonly tool: string; readonly hash: string }[];
  /** Named, and nothing of that name waits. */
  readonly unknown: readonly string[];
}

export function decideVerbs(tools: Command): void {
  tools
    .command("accept")
    .description("take withheld definitions as they are now; ends 1 when nothing of a name waits")
    .argument("<server>")
    .argument("[tools...]", "by the server's own names or by their published ones")
    .option("--all", "everything of this server that waits")
    .option("--hash <hash>", "only if the definition still has this hash, as `toolcrib tools pending` shows it")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action((server: string, names: string[], _, command: Command) => accept(server, names, command.optsWithGlobals()));
  for (const verb of ["enable", "disable"] as const)
    tools
      .command(verb)
      .description(verb === "enable" ? "switch a tool on again" : "switch a tool off at once, until it is switched on again")
      .argument("<server>")
      .argument("<tool>", "by the server's own name or by its published one")
      .option("--data <dir>", "data folder")
      .option("--json", "as JSON")
      .action((server: string, tool: string, _, command: Command) => turn(verb, server, tool, command.optsWithGlobals()));
}

async function accept(server: string, names: readonly string[], { all, hash, json, ...flags }: AcceptFlags): Promise<void> {
  if ((all === true) === names.length > 0) throw failure(EXIT.usage, "name the tools to accept, or say --all");
  const body = await decided(flags, server, "accept", { ...(names.length > 0 && { tools: names }), ...(hash !== undefined && { hash }) });
  const { accepted, unknown, ...rest } = body as Accepted;
  if (json) printJson(body);
  else for (const one of accepted) print(`${inline(one.tool)} of ${rest.server} is accepted (${one.hash.slice(0, 12)})`);
  for (const name of unknown) complain(`nothing named ${name} waits: "toolcrib tools pending ${rest.server}" lists what does`);
  if (unknown.length > 0) process.exitCode = EXIT.failed;
}

async function turn(verb: "enable" | "disable", server: string, tool: string, { json, ...flags }: Flags): Promise<void> {
  const body = await decided(flags, server, `tools/${encodeURIComponent(tool)}`, { enabled: verb === "enable" });
  if (json) return printJson(body);
  const named = body as { readonly server: string; readonly tool: string };
  print(`${inline(named.tool)} of ${named.server} is ${verb}d`);
}

async function decided(flags: DataFlag, server: string, path: string, request: object): Promise<unknown> {
  const { status, body } = await askDaemon(
    dataFolderOf(flags),
    "POST",
    `/v1/servers/${encodeURIComponent(server)}/${path}`,
    JSON.stringify(request),
  );
  const error = errorOf(body);
  if (error) throw failure(status === 403 ? EXIT.notPermitted : status === 400 ? EXIT.usage : EXIT.failed, error.message);
  return body;
}
