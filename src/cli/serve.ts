/** `toolcrib serve`: the daemon. */
import { type Command, Option } from "commander";
import { watchIdle } from "../system/idle.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";
import { durationOf } from "./duration.ts";
import { EXIT } from "./exit.ts";

interface ServeFlags extends DataFlag {
  readonly config?: string;
  readonly listen?: string;
  readonly detached?: boolean;
  /** Milliseconds. */
  readonly idleExit?: number;
}

export function serveVerb(program: Command): void {
  program
    .command("serve")
    .description("run the daemon: agents connect to it, it owns the connections to MCP servers")
    .option("--config <file>", "configuration (JSONC)")
    .option("--data <dir>", "data folder")
    .option("--listen <host:port>", "address to listen on")
    // What `stdio` starts: in the background, for as long as somebody uses it.
    .addOption(new Option("--detached").hideHelp())
    .addOption(new Option("--idle-exit <duration>").argParser(durationOf).hideHelp())
    .action(serve);
}

async function serve({ config, data, listen, detached = false, idleExit }: ServeFlags): Promise<void> {
  const folder = dataFolderOf({ ...(data !== undefined && { data }) });
  if (detached) process.on("SIGHUP", () => undefined); // its terminal may go, it stays
  const { runDaemon } = await import("./run-daemon.ts"); // `toolcrib --help` loads this file, but needs no daemon
  const daemon = await runDaemon({ folder, config, listen, anyPort: detached });
  if (detached) process.chdir(folder); // it holds no other folder
  let isEnding = false;
  const end = (reason: string) => {
    if (isEnding) return; // under npx and `bun run` one Ctrl-C comes several times
    isEnding = true;
    void daemon.stop(reason).then(() => process.exit(EXIT.ok));
  };
  // Before the line that says it serves: whoever waits for that may end it at once.
  for (const signal of ["SIGTERM", "SIGINT", ...(detached ? [] : ["SIGHUP" as const])] as const) process.on(signal, () => end(signal));
  process.stderr.write(`toolcrib listening on ${daemon.url}\n`);
  if (idleExit !== undefined) watchIdle(daemon.pulse, idleExit, () => end("idle"));
}
