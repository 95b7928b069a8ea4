/** Connects to a server that is a child process of ours. */

import { type Connection, createConnection } from "./connection.ts";
import type { Downstream, Target } from "./downstream.ts";
import { childEnvironment } from "./environment.ts";
import { DEFAULT_MAX_LINE_BYTES } from "./framing.ts";
import { shakeHands } from "./handshake.ts";
import type { ConnectOptions } from "./options.ts";
import { recordChild } from "./orphans.ts";
import { createRawCalls, type RawCalls } from "./raw-calls.ts";
import { createStdioTransport } from "./stdio-transport.ts";

type StdioTarget = Extract<Target, { kind: "stdio" }>;

/** Carries what a further attempt depends on. */
class AttemptError extends Error {
  readonly exited: boolean;
  constructor(message: string, exited: boolean, cause: unknown) {
    super(message, { cause });
    this.exited = exited;
  }
}

/** Starts the process and shakes hands. A server that ends when it is asked for its era is started once more and not asked. */
export async function connectStdio(target: StdioTarget, options: ConnectOptions): Promise<Downstream> {
  const deadline = performance.now() + options.connectTimeoutMs;
  const left = (): number => Math.max(1, deadline - performance.now());
  const askFirst = options.eraHint?.era !== "legacy";
  try {
    return await attempt(target, options, askFirst, left());
  } catch (error) {
    // With the hint it may have become a modern-only server, so that is worth a second try, too.
    const again = error instanceof AttemptError && (error.exited || !askFirst) && performance.now() < deadline && !options.signal?.aborted;
    if (!again) throw error;
    return attempt(target, options, !askFirst, left());
  }
}

async function attempt(target: StdioTarget, options: ConnectOptions, askEra: boolean, timeoutMs: number): Promise<Downstream> {
  let calls: RawCalls | undefined;
  let connection: Connection | undefined;
  let exit: string | undefined;
  let junk = 0;

  const transport = createStdioTransport(
    {
      command: target.command,
      args: target.args,
      env: childEnvironment(options.environment, target.env, options.marker),
      killAfterMs: options.killAfterMs ?? 2000,
      redact: options.redact,
      ...(target.cwd === undefined ? {} : { cwd: target.cwd }),
    },
    {
      onStart(pid) {
        if (options.pidFile !== undefined) recordChild(options.pidFile, pid);
        if (options.signal?.aborted) void transport.close();
      },
      take: (message) => calls?.take(message) ?? false,
      onOversized(id, bytes) {
        const text = `a message of ${bytes} bytes is above the limit of ${options.maxMessageBytes ?? DEFAULT_MAX_LINE_BYTES}`;
        options.onWarning?.(text);
        if (id !== undefined) calls?.unreadable(id, text);
      },
      onJunk() {
        junk++;
        // Once is news, a server that logs to stdout is not.
        if (junk === 1) options.onWarning?.("the server wrote something to stdout that is no JSON-RPC message; it is skipped");
      },
      onExit(reason) {
        exit = reason;
        connection?.broke(reason);
      },
    },
    options.maxMessageBytes,
  );

  const giveUp = () => void transport.close();
  const timer = setTimeout(giveUp, timeoutMs);
  options.signal?.addEventListener("abort", giveUp, { once: true });
  const started = performance.now();
  try {
    if (options.signal?.aborted) throw new Error("The attempt was given up.");
    const handshake = await shakeHands(transport, "stdio", options, { askEra, timeoutMs, onError: () => undefined });
    if (exit !== undefined) throw new Error(exit);
    calls = createRawCalls({ transport, envelope: handshake.envelope });
    connection = createConnection(
      {
        handshake,
        calls,
        mirrorsHeaders: false,
        pid: transport.pid,
        stderr: transport.stderrLines,
        closeTransport: () => transport.close(),
      },
      options,
    );
    return connection.downstream;
  } catch (error) {
    // Nothing was started: the message says all.
    if (transport.pid === undefined) throw error;
    const exited = exit !== undefined && exit !== "closed";
    const words = transport.stderrLines().slice(-3).join(" | ").slice(-500);
    await transport.close();
    const what = exited
      ? `${exit} before it answered`
      : performance.now() - started >= timeoutMs
        ? `no answer within ${Math.round(timeoutMs)} ms`
        : error instanceof Error
          ? error.message
          : String(error);
    const heard = words === "" ? "It wrote nothing to stderr." : `Its last words on stderr: "${words}".`;
    throw new AttemptError(`Cannot connect to "${target.command}": ${what}. ${heard} Try the command by hand.`, exited, error);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", giveUp);
  }
}
