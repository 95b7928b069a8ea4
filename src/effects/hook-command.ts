/** Asks a hook that is a program: the input on its stdin, the answer on its stdout; at the end nothing that it started is left. */
import { spawn } from "node:child_process";
import { signalGroup } from "../mcp/downstream/child.ts";
import { type HookReply, MAX_HOOK_BYTES } from "./hook-reply.ts";

const MAX_STDERR_BYTES = 4_096;
const BLOCKS = 2;

/** No shell reads `argv`; `env` is the whole environment. Never rejects. */
export function runHookCommand(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  input: object,
  signal: AbortSignal,
): Promise<HookReply> {
  const { promise, resolve } = Promise.withResolvers<HookReply>();
  const failed = (reason: string) => resolve({ kind: "failed", reason });
  const [command = "", ...args] = argv;
  try {
    const child = spawn(command, args, { detached: true, env: { ...env }, stdio: ["pipe", "pipe", "pipe"] });
    const end = () => void (child.pid !== undefined && signalGroup(child.pid, "SIGKILL"));
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let outBytes = 0;
    let errBytes = 0;
    signal.addEventListener(
      "abort",
      () => {
        end();
        failed("it was not waited for");
      },
      { once: true },
    );
    child.on("error", (error) => failed(`it cannot be started: ${error.message}`));
    child.stdout.on("data", (chunk: Buffer) => {
      outBytes += chunk.length;
      if (outBytes <= MAX_HOOK_BYTES) out.push(chunk);
      else {
        failed(`its output is longer than ${MAX_HOOK_BYTES} bytes`);
        end();
      }
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (errBytes < MAX_STDERR_BYTES) err.push(chunk.subarray(0, MAX_STDERR_BYTES - errBytes));
      errBytes += chunk.length;
    });
    // It need not read its input.
    child.stdin.on("error", () => undefined);
    child.once("exit", end); // what it left behind
    child.once("close", (code, by) => {
      if (code === 0) resolve({ kind: "output", text: Buffer.concat(out).toString() });
      else if (code === BLOCKS) resolve({ kind: "blocked", words: Buffer.concat(err).toString().trim() });
      else failed(code === null ? `it was ended by ${by}` : `it exited with code ${code}`);
    });
    child.stdin.end(JSON.stringify(input));
  } catch (error) {
    failed(`it cannot be started: ${error instanceof Error ? error.message : "unknown"}`);
  }
  return promise;
}
