/** Finds the daemon that owns a data folder, or starts one in the background: two that start at once end up with the same. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { HTTP_SOCKET } from "../config/paths.ts";
import { takeFolder } from "../system/folder.ts";
import { ourProgram } from "../version.ts";
import { EXIT, failure } from "./exit.ts";
import { openSocket } from "./forward.ts";

const IDLE_EXIT = "10m";
/** So long nobody may be to be seen. */
const PATIENCE_MS = 2000;
/** A daemon that is seen to be starting (a large log, a busy machine) is waited for so long. */
const LONGEST_MS = 20_000;
const RETRY_MS = 20;
const LOG = "daemon.log";
const LOG_LIMIT = 1024 * 1024;

/**
 * A connection to the daemon of `folder`, which listens at `path`; `config` is for one that has to be started.
 * Throws a `Failure` with the daemon's own exit code and last words when it cannot start.
 */
export async function daemonSocket(folder: string, path: string, config: string | undefined): Promise<Socket> {
  const found = await openSocket(path);
  if (found) return found;
  const { child, words } = startDetached(folder, config);
  const started = performance.now();
  for (;;) {
    await Bun.sleep(RETRY_MS);
    const socket = await openSocket(path);
    if (socket) return socket;
    // 69: somebody else was faster, and will be listening soon.
    if (child.exitCode !== null && child.exitCode !== EXIT.unavailable)
      throw failure(child.exitCode || EXIT.unavailable, `the daemon did not start: ${words()}`);
    const waited = performance.now() - started;
    if (waited > PATIENCE_MS && (waited > LONGEST_MS || !(await isStarting(child, folder))))
      throw failure(
        EXIT.unavailable,
        `no toolcrib came to listen on ${path}: ${words()}. Start one with "toolcrib serve --data ${folder}" to see why`,
      );
  }
}

async function isStarting(child: ChildProcess, folder: string): Promise<boolean> {
  if (child.exitCode === null && child.signalCode === null) return true;
  if (child.exitCode === EXIT.unavailable) return true; // another process has the folder: on a busy machine it may not listen yet
  const health = await openSocket(join(folder, HTTP_SOCKET)); // it opens before the log is recovered
  health?.destroy();
  return health !== undefined;
}

/** In a session of its own, its output in a file of the data folder: it outlives us, our terminal and our client. */
function startDetached(folder: string, config: string | undefined): { child: ChildProcess; words: () => string } {
  takeFolder(folder);
  const file = join(folder, LOG);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const log = openSync(file, size > LOG_LIMIT ? "w" : "a", 0o600);
  const start = size > LOG_LIMIT ? 0 : size;
  const [command = "", ...args] = ourProgram();
  const flags = ["serve", "--detached", "--idle-exit", IDLE_EXIT, "--data", folder, ...(config === undefined ? [] : ["--config", config])];
  const child = spawn(command, [...args, ...flags], { detached: true, stdio: ["ignore", log, log], env: process.env });
  closeSync(log);
  child.on("error", () => undefined); // it has no exit code then, and nobody comes to listen
  child.unref();
  const words = () =>
    readFileSync(file)
      .subarray(start)
      .toString()
      .trim()
      .split("\n")
      .slice(-5)
      .join("\n")
      .replace(/^toolcrib: /gm, "") || `it said nothing (${file})`;
  return { child, words };
}
