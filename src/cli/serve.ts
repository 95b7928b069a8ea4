/** `toolcrib serve`: the daemon. */
import type { Command } from "commander";
import { loadConfig } from "../config/load.ts";
import { formatProblem } from "../config/problems.ts";
import { startDaemon } from "../system/daemon.ts";
import { dataFolderOf } from "./data-folder.ts";
import { EXIT, fail } from "./exit.ts";

interface ServeFlags {
  readonly config?: string;
  readonly data?: string;
  readonly listen?: string;
}

export function serveVerb(program: Command): void {
  program
    .command("serve")
    .description("run the daemon: agents connect to it, it owns the connections to MCP servers")
    .option("--config <file>", "configuration (JSONC)")
    .option("--data <dir>", "data folder")
    .option("--listen <host:port>", "address to listen on")
    .action(serve);
}

async function serve({ config, data, listen }: ServeFlags): Promise<void> {
  const say = (line: string) => void process.stderr.write(`toolcrib: ${line}\n`);
  const loadOptions = { ...(config !== undefined && { flag: config }), ...(listen !== undefined && { listen }) };
  const loaded = loadConfig(loadOptions);
  for (const warning of loaded.warnings) say(`warning: ${formatProblem(warning)}`);
  if (!loaded.ok) fail(EXIT.config, loaded.errors.map(formatProblem).join("\n"));
  try {
    const daemon = await startDaemon({
      dataFolder: dataFolderOf(data),
      loaded,
      loadOptions,
      environment: process.env,
      commands: [process.execPath, ...(process.argv[1] === undefined ? [] : [process.argv[1]])],
      say,
    });
    process.stderr.write(`toolcrib listening on ${daemon.url}\n`);
    const end = (signal: string) => {
      void daemon.stop(signal).then(() => process.exit(EXIT.ok));
    };
    process.once("SIGTERM", () => end("SIGTERM"));
    process.once("SIGINT", () => end("SIGINT"));
  } catch (error) {
    fail(exitCodeOf(error), error instanceof Error ? error.message : String(error));
  }
}

function exitCodeOf(error: unknown): number {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (code === "locked" || code === "EADDRINUSE") return EXIT.unavailable;
  if (code === "foreign" || code === "newer" || code === "unreadable") return EXIT.data;
  return EXIT.failed;
}
