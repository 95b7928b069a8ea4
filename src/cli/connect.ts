/** `toolcrib connect`: the snippet that points a client to this program, and the file that it goes into. It writes nothing. */
import { resolve } from "node:path";
import { Argument, type Command } from "commander";
import { loadConfig } from "../config/load.ts";
import { formatProblem } from "../config/problems.ts";
import { ourProgram } from "../version.ts";
import { CLIENTS, type ClientName, type Gateway, snippetFor } from "./connect-snippets.ts";
import type { DataFlag } from "./data-folder.ts";
import { complain, EXIT, failure } from "./exit.ts";
import { print, printJson } from "./print.ts";
import { sessionName } from "./session-name.ts";

interface ConnectFlags extends DataFlag {
  readonly config?: string;
  readonly http?: true;
  readonly session?: string;
  readonly profile?: string;
  readonly json?: true;
}

export function connectVerb(program: Command): void {
  program
    .command("connect")
    .description("print the snippet that points an MCP client to toolcrib; where it goes is said on stderr")
    .addArgument(new Argument("<client>", "which one").choices(CLIENTS))
    .option("--http", "over HTTP to a daemon that runs already, instead of a program that the client starts")
    .option("--config <file>", "configuration (JSONC)")
    .option("--data <dir>", "data folder of the daemon")
    .option("--session <name>", "session that the client uses", sessionName)
    .option("--profile <name>", "profile of its session")
    .option("--json", "as JSON")
    .action(connect);
}

function connect(client: ClientName, flags: ConnectFlags): void {
  const found = snippetFor(client, flags.http ? overHttp(flags) : overStdio(flags));
  if (found === undefined)
    throw failure(EXIT.usage, `${client} reads no addresses from its file: leave out --http, it starts "toolcrib stdio" then`);
  if (flags.json) printJson({ client, ...found });
  else print(found.snippet);
  complain(`put this into ${found.file}, beside the servers that stand there`);
  for (const note of found.notes) complain(note);
}

/** Absolute paths: a client starts programs in a folder and with a PATH of its own. */
function overStdio({ config, data, session, profile }: ConnectFlags): Gateway {
  const [command = "", ...args] = ourProgram();
  const flag = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value]);
  const files = [...flag("--config", config && resolve(config)), ...flag("--data", data && resolve(data))];
  return { kind: "stdio", command, args: [...args, "stdio", ...files, ...flag("--session", session), ...flag("--profile", profile)] };
}

function overHttp({ config, session, profile }: ConnectFlags): Gateway {
  if (profile !== undefined) throw failure(EXIT.usage, "over HTTP the token of the agent says which profile it has: leave out --profile");
  const loaded = loadConfig(config === undefined ? {} : { flag: config });
  if (!loaded.ok) throw failure(EXIT.config, loaded.errors.map(formatProblem).join("\n"));
  const { listen, agents } = loaded.config;
  if (listen.port === 0)
    throw failure(EXIT.config, "the configuration listens on any free port (0): give it one, so that a client can name it");
  const host = { "0.0.0.0": "127.0.0.1", "::": "[::1]" }[listen.host] ?? (listen.host.includes(":") ? `[${listen.host}]` : listen.host);
  return {
    kind: "http",
    url: `http://${host}:${listen.port}/mcp`,
    needsToken: agents.length > 0,
    ...(session !== undefined && { session }),
  };
}
