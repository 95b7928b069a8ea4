/** The compiled program as a process: started on a data folder, awaited and killed. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { upToDateBinary } from "../../../scripts/binary.ts";

/** The program to test: of the sources as they are, or the one that CRASH_BINARY names. */
export const programUnderTest = (): string => process.env["CRASH_BINARY"] ?? upToDateBinary();

export interface Place {
  /** Holds everything of one data folder's life. */
  readonly root: string;
  readonly data: string;
  readonly config: string;
  /** The downstream server's own record of what it did, and of its starts. */
  readonly acts: string;
  readonly pids: string;
}

/** A folder with a configuration for one act server. */
export function makePlace({ slots = 64, stay = false }: { slots?: number; stay?: boolean } = {}): Place {
  const root = mkdtempSync(join(tmpdir(), "toolcrib-crash-"));
  const [data, config, acts, pids] = [join(root, "data"), join(root, "toolcrib.jsonc"), join(root, "acts"), join(root, "pids")];
  const server = {
    command: process.execPath,
    args: [join(import.meta.dir, "act-server.ts")],
    env: { ACT_FILE: acts, ACT_PIDS: pids, ...(stay && { ACT_STAY: "1" }) },
    tools: { look: { capability: "read" } },
  };
  const bridge = { connectRetryBaseDelayMs: 50 };
  writeFileSync(config, JSON.stringify({ limits: { slotsPerServer: slots }, bridge, mcpServers: { deed: server } }));
  for (const file of [acts, pids]) writeFileSync(file, "");
  return { root, data, config, acts, pids };
}

export interface Gateway {
  /** The address once it serves; undefined when it ended before. */
  readonly url: Promise<string | undefined>;
  /** From the spawn to that moment, ms. */
  readonly readyMs: () => number;
  readonly ended: Promise<void>;
  readonly hasEnded: () => boolean;
  readonly signal: () => unknown;
  /** What it wrote to stderr so far. */
  readonly output: () => string;
  kill(signal: "SIGKILL" | "SIGTERM"): void;
}

const LISTENING = /toolcrib listening on (\S+)/;

/** `failpoint`: `name:n`, where it ends itself by SIGKILL. */
export function startGateway(binary: string, { data, config, root }: Place, failpoint?: string): Gateway {
  const spawned = performance.now();
  const child = Bun.spawn([binary, "serve", "--config", config, "--data", data, "--listen", "127.0.0.1:0"], {
    cwd: root,
    env: { ...process.env, ...(failpoint !== undefined && { TOOLCRIB_FAILPOINT: failpoint }) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  let readyMs = 0;
  const { promise: url, resolve } = Promise.withResolvers<string | undefined>();
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      output += decoder.decode(chunk, { stream: true });
      const listening = LISTENING.exec(output)?.[1];
      if (listening === undefined || readyMs > 0) continue;
      readyMs = performance.now() - spawned;
      resolve(listening);
    }
    resolve(undefined);
  };
  void read().catch(() => resolve(undefined));
  return {
    url,
    readyMs: () => readyMs,
    ended: child.exited.then(() => undefined),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    signal: () => child.signalCode,
    output: () => output,
    kill: (signal) => child.kill(signal),
  };
}
