/** `toolcrib tools pending`: definitions that are withheld until somebody accepts them. */
import type { Command } from "commander";
import type { DataFlag } from "./data-folder.ts";
import { definitionDiff } from "./definition-diff.ts";
import { EXIT } from "./exit.ts";
import { knownServers, serverNamed } from "./known-tools.ts";
import { type Pending, pendingOf } from "./pending.ts";
import { bold, inline, print, printJson, time } from "./print.ts";
import { reading } from "./reading.ts";

export function pendingVerb(tools: Command): void {
  tools
    .command("pending")
    .description("show the changed or suspicious definitions that wait to be accepted: what was accepted, and what is offered now")
    .argument("[server]", "only of this server; ends 1 when nothing of it waits")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON, with both definitions whole")
    .action((server: string | undefined, _, command: Command) => pending(server, command.optsWithGlobals()));
}

async function pending(name: string | undefined, { json, ...flags }: DataFlag & { json?: true }): Promise<void> {
  await reading(flags, async (reader) => {
    const servers = await knownServers(reader);
    const waiting = pendingOf(reader, name === undefined ? servers : [serverNamed(servers, name)]);
    if (name !== undefined && waiting.length === 0) process.exitCode = EXIT.failed;
    if (json) return printJson({ pending: waiting, position: reader.head.position });
    if (waiting.length === 0) return print("no definition waits to be accepted");
    print(waiting.map(section).join("\n\n"));
    process.stderr.write(`\nAgents see none of them. Read what differs, then: toolcrib tools accept SERVER TOOL --hash HASH\n`);
  });
}

const HASH_DIGITS = 12;
const WORDS = {
  changed: "it is not the definition that was accepted",
  added: "it came after the server's tools were accepted",
  suspicious: "it reads like an attack",
};

function section({ server, tool, kind, hash, since, change, fields, findings, accepted, offered }: Pending): string {
  const when = since === undefined ? "" : `  since ${time(since)}`;
  return [
    bold(`${inline(`${server}  ${kind === "prompt" ? "prompt " : ""}${tool}`)}  ${hash.slice(0, HASH_DIGITS)}`),
    `  ${WORDS[change]}${when}`,
    ...(fields.includes("server")
      ? ["  the server is reached in another way: its command, its arguments or its address have changed"]
      : []),
    ...findings.map((one) => inline(`  ! ${one.kind} (${one.severity}) at ${one.where}: ${one.excerpt ?? ""}`)),
    ...definitionDiff(accepted, offered),
  ].join("\n");
}
