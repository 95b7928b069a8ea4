/** `toolcrib tools classify`: proposes the `tools` block of a server's entry. */
import type { Command } from "commander";
import { showInvisible } from "../../actors/visible-text.ts";
import type { Capability } from "../../events/call.ts";
import { type Classified, classifyTool } from "../config/classify.ts";
import type { DataFlag } from "./data-folder.ts";
import { EXIT, failure } from "./exit.ts";
import { type KnownServer, knownServers, serverNamed } from "./known-tools.ts";
import { print, printJson } from "./print.ts";
import { reading } from "./reading.ts";

export function classifyVerb(tools: Command): void {
  tools
    .command("classify")
    .description("propose what each tool of a server may do, from its hints and its name: a block to read, correct and put into its entry")
    .argument("<server>")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON, with the reasons")
    .action((server: string, _, command: Command) => classify(server, command.optsWithGlobals()));
}

async function classify(name: string, { json, ...flags }: DataFlag & { json?: true }): Promise<void> {
  await reading(flags, async (reader) => {
    const server = serverNamed(await knownServers(reader), name);
    const offers = Object.values(server.offers).filter(({ kind }) => kind === undefined);
    if (offers.length === 0)
      throw failure(EXIT.failed, `the tools of ${server.name} are not known yet: start it once with "toolcrib serve", then ask again`);
    const proposed = offers.map(({ tool, hash }) => ({ tool, ...proposalFor(server, tool, reader.definition(hash)) }));
    if (json)
      return printJson({
        server: server.name,
        tools: Object.fromEntries(proposed.map(({ tool, capability }) => [tool, { capability }])),
        reasons: Object.fromEntries(proposed.map(({ tool, reason }) => [tool, reason])),
      });
    print(block(proposed));
    process.stderr.write(`\nNothing is changed. Read it, correct it, and put it into the entry of ${server.name}.\n`);
  });
}

/** What the operator has said already stays. */
function proposalFor({ policy }: KnownServer, tool: string, definition: string | undefined): Classified {
  const stated: Capability | undefined = Object.hasOwn(policy.capabilities, tool) ? policy.capabilities[tool] : undefined;
  if (stated !== undefined) return { capability: stated, reason: "as configured" };
  const { annotations } = JSON.parse(definition ?? "{}") as { readonly annotations?: Readonly<Record<string, unknown>> | null };
  return classifyTool({ name: tool, annotations: annotations ?? undefined });
}

/** JSONC: the reason stands behind each line. */
function block(proposed: readonly (Classified & { readonly tool: string })[]): string {
  const lines = proposed.map(({ tool, capability, reason }, index) => {
    const comma = index < proposed.length - 1 ? "," : "";
    return `  ${showInvisible(JSON.stringify(tool))}: { "capability": "${capability}" }${comma} // ${reason}`;
  });
  return ['"tools": {', ...lines, "}"].join("\n");
}
