/** The whole system inside a `toolcrib stdio` process: the same daemon, used through its own socket. */
import type { Socket } from "node:net";
import { EXIT, failure } from "./exit.ts";
import { openSocket } from "./forward.ts";
import { runDaemon } from "./run-daemon.ts";

export interface InProcess {
  connect(): Promise<Socket>;
  stop(reason: string): Promise<void>;
}

/** Takes the data folder. Throws a `LogError` "locked" when a daemon, or another process like this, has it. */
export async function startInProcess(folder: string, path: string, config: string | undefined): Promise<InProcess> {
  const daemon = await runDaemon({ folder, config, anyPort: true });
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, () => {
      void daemon.stop(signal).then(() => process.exit(EXIT.ok));
    });
  return {
    async connect() {
      const socket = await openSocket(path);
      if (!socket) throw failure(EXIT.internal, `nobody listens on ${path}, although this process should`);
      return socket;
    },
    stop: daemon.stop,
  };
}
