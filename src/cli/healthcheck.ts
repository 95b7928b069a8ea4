/** `toolcrib healthcheck`: exit 0 when the daemon of the data folder is ready, for a container that holds no other program to ask it with. */
import { join } from "node:path";
import type { Command } from "commander";
import { HTTP_SOCKET } from "../config/paths.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";
import { EXIT, failure } from "./exit.ts";

const LIMIT_MS = 4000;

export function healthcheckVerb(program: Command): void {
  program
    .command("healthcheck", { hidden: true })
    .description("say whether the daemon is ready: ends 0, or 69")
    .option("--data <dir>", "data folder")
    .action(probe);
}

/** Over the socket, so that neither the address nor a token is needed. */
async function probe({ data }: DataFlag): Promise<void> {
  const folder = dataFolderOf({ ...(data !== undefined && { data }) });
  const unix = join(folder, HTTP_SOCKET);
  const seen = await fetch("http://localhost/readyz", { unix, signal: AbortSignal.timeout(LIMIT_MS) }).then(
    ({ status }) => `it answers ${status}`,
    () => "nobody answers",
  );
  if (seen !== "it answers 200") throw failure(EXIT.unavailable, `the daemon on ${folder} is not ready: ${seen}`);
}
