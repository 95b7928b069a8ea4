/** `toolcrib tools`: what an agent would see, and what an operator decides about it. */
import { type Command, Option } from "commander";
import { askDaemon, errorOf } from "./daemon-client.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";
import { EXIT, failure } from "./exit.ts";
import { print, printJson } from "./print.ts";
import { sessionName } from "./session-name.ts";
import { table } from "./table.ts";
import { classifyVerb } from "./tools-classify.ts";
import { decideVerbs } from "./tools-decide.ts";
import { pendingVerb } from "./tools-pending.ts";

interface ToolsFlags extends DataFlag {
  readonly session?: string;
  readonly format?: string;
  readonly json?: true;
}
interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: { readonly properties?: object; readonly required?: readonly string[] };
}

export function toolsVerb(program: Command): void {
  const verb = program
    .command("tools")
    .enablePositionalOptions() // the options of the verbs below are theirs
    .description("list the tools as an agent would see them; judge, accept and switch those of the servers")
    .option("--session <name>", "of this session", sessionName)
    .addOption(new Option("--format <format>", "print the definitions for this kind of API").choices(["mcp", "openai", "anthropic"]))
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action(tools);
  for (const further of [pendingVerb, decideVerbs, classifyVerb]) further(verb);
}

async function tools({ session, format, json, ...flags }: ToolsFlags): Promise<void> {
  const query = new URLSearchParams({ ...(session !== undefined && { session }), ...(format !== undefined && { format }) });
  const { body } = await askDaemon(dataFolderOf(flags), "GET", `/v1/tools?${query}`);
  const error = errorOf(body);
  if (error) throw failure(EXIT.failed, `${error.code}: ${error.message}`);
  if (json || format !== undefined) return printJson(body);
  const list = (body as { readonly tools: readonly Tool[] }).tools;
  print(
    table(
      ["NAME", "ARGUMENTS", "DESCRIPTION"],
      list.map((tool) => [tool.name, argumentsOf(tool), tool.description ?? ""]),
    ),
  );
}

/** `path, head?`: what is optional has a question mark. */
function argumentsOf({ inputSchema: { properties = {}, required = [] } = {} }: Tool): string {
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .join(", ");
}
