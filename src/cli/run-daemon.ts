/** Loads the configuration and starts the whole system in this process: for `serve` and for `stdio --in-process`. */
import { loadConfig } from "../config/load.ts";
import { formatProblem } from "../config/problems.ts";
import { type Daemon, startDaemon } from "../system/daemon.ts";
import { complain, EXIT, failure } from "./exit.ts";
import { selfPath } from "./self.ts";

export interface RunFlags {
  /** Absolute. */
  readonly folder: string;
  /** `--config`. */
  readonly config: string | undefined;
  /** `--listen`. */
  readonly listen?: string | undefined;
  /** Nobody was promised the configured port: when it is taken, any other will do. */
  readonly anyPort: boolean;
}

const ADD_A_SERVER = `To add a server, write ./toolcrib.jsonc: { "mcpServers": { "NAME": { "command": "PROGRAM", "args": [] } } }`;

/** Throws a `Failure` (78) for a broken configuration, a `LogError` for a folder that is in use or no log. */
export async function runDaemon({ folder, config, listen, anyPort }: RunFlags): Promise<Daemon> {
  const loadOptions = { cwd: process.cwd(), ...(config !== undefined && { flag: config }), ...(listen !== undefined && { listen }) };
  const loaded = loadConfig(loadOptions);
  for (const warning of loaded.warnings) complain(`warning: ${formatProblem(warning)}`);
  if (!loaded.ok) throw failure(EXIT.config, loaded.errors.map(formatProblem).join("\n"));
  if (loaded.file === undefined) complain(`no configuration was found, so only the built-in tools are served. ${ADD_A_SERVER}`);
  return startDaemon({
    dataFolder: folder,
    loaded,
    loadOptions,
    environment: process.env,
    commands: [selfPath()],
    anyPort,
    say: complain,
  });
}
