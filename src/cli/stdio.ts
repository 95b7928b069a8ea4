/** `toolcrib stdio`: MCP on standard input and output, forwarded to the daemon that owns the data folder. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Command } from "commander";
import { MCP_SOCKET } from "../config/paths.ts";
import { DEPTH_VARIABLE } from "../observe/hook-depth.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";
import { EXIT, failure } from "./exit.ts";
import { forward, openSocket } from "./forward.ts";
import { sessionName } from "./session-name.ts";
import { daemonSocket } from "./start-daemon.ts";

interface StdioFlags extends DataFlag {
  readonly config?: string;
  readonly session?: string;
  readonly profile?: string;
  readonly inProcess?: boolean;
}

export function stdioVerb(program: Command): void {
  program
    .command("stdio")
    .description("serve MCP on standard input and output, through the daemon of the data folder (started when there is none)")
    .option("--config <file>", "configuration (JSONC), for a daemon that has to be started")
    .option("--data <dir>", "data folder")
    .option("--session <name>", "session to use; without it this process has its own", sessionName)
    .option("--profile <name>", "profile of the session")
    .option("--in-process", "run the whole system in this process instead of using a daemon")
    .action(stdio);
}

async function stdio({ config, session, profile, inProcess = false, ...flags }: StdioFlags): Promise<void> {
  const folder = dataFolderOf(flags);
  const path = join(folder, MCP_SOCKET);
  // Loaded only when it is wanted: a forwarder is small.
  const own = inProcess ? await (await import("./in-process.ts")).startInProcess(folder, path, config) : undefined;
  const socket = own ? await own.connect() : await daemonSocket(folder, path, config);
  const name = session ?? `stdio-${process.pid}-${randomBytes(6).toString("hex")}`;
  const led = process.env[DEPTH_VARIABLE];
  const hello = { session: name, ...(profile !== undefined && { profile }), ...(led !== undefined && { led }) };
  const inputEnded = await forward(socket, hello, { input: process.stdin, output: process.stdout });
  process.stdin.destroy();
  if (own) await own.stop("its client left");
  else if (!inputEnded || !(await isThere(path)))
    throw failure(EXIT.unavailable, `the daemon on ${folder} ended before its client did: start this again, which starts it again`);
  process.exit(EXIT.ok);
}

/** After the end of our input a daemon that died looks like one that has answered everything. */
async function isThere(path: string): Promise<boolean> {
  const socket = await openSocket(path);
  socket?.destroy();
  return socket !== undefined;
}
