/** A child process in a process group of its own, so that it can be ended together with everything it started. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createStderrRing, type StderrRing } from "./stderr-ring.ts";

export interface ChildSpec {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the child; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Milliseconds between SIGTERM and SIGKILL for the group. */
  readonly killAfterMs: number;
  /** Takes secrets out of the lines of its stderr. */
  readonly redact?: ((text: string) => string) | undefined;
}

export interface ChildHandlers {
  onStdout(chunk: Buffer): void;
  /** Once, after the last byte of stdout: the process is gone. */
  onExit(reason: string): void;
}

export interface Child {
  readonly pid: number;
  readonly stderr: StderrRing;
  /** Bytes written but not yet taken by the child. */
  pendingBytes(): number;
  /** False when the process has ended or its stdin is closed. */
  write(text: string): boolean;
  /** Closes stdin, then SIGTERM to the group, then SIGKILL. Resolves when the whole group is gone. */
  close(): Promise<void>;
}

/** How long stdout may stay open (held by somebody outside the group) after the process has ended. */
const DRAIN_MS = 1000;
/** How long a server may take to end by itself once its input has ended. */
const END_OF_INPUT_MS = 250;
const UNKILLABLE_MS = 2000;
const POLL_MS = 25;
/** One that writes without end may not keep everybody else from their turn: this share of our time is its own, and so much more on credit. */
const SHARE = 0.6;
const CREDIT_MS = 40;
const REST_MS = 160;

/** Starts the process. Rejects, naming the command, when it cannot be started. */
export function startChild(spec: ChildSpec, handlers: ChildHandlers): Promise<Child> {
  return new Promise((resolve, reject) => {
    let child: ChildProcessWithoutNullStreams;
    try {
      child = spawn(spec.command, spec.args, {
        detached: true,
        env: { ...spec.env },
        stdio: ["pipe", "pipe", "pipe"],
        ...(spec.cwd === undefined ? {} : { cwd: spec.cwd }),
      });
    } catch (error) {
      reject(startFailure(spec, error));
      return;
    }
    child.on("error", (error) => reject(startFailure(spec, error)));
    child.once("spawn", () => {
      if (child.pid === undefined) reject(startFailure(spec, new Error("no process id")));
      else resolve(supervise(child, child.pid, spec, handlers));
    });
  });
}

function supervise(child: ChildProcessWithoutNullStreams, pid: number, spec: ChildSpec, handlers: ChildHandlers): Child {
  const stderr = createStderrRing(undefined, undefined, spec.redact);
  let ended = false;
  let closing = false;
  let whyClosed = "closed";
  const gone = Promise.withResolvers<void>();

  let debt = 0;
  let readUntil = performance.now();
  child.stdout.on("data", (chunk: Buffer) => {
    const began = performance.now();
    handlers.onStdout(chunk);
    const now = performance.now();
    debt = Math.max(0, debt + now - began - SHARE * (now - readUntil));
    readUntil = now;
    if (debt < CREDIT_MS) return;
    child.stdout.pause();
    setTimeout(() => child.stdout.resume(), REST_MS);
  });
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  // Whoever has closed its output cannot answer any more, though the process may live on. One that ends just now says so itself.
  child.stdout.once("end", () => {
    setTimeout(() => {
      if (ended || closing || child.exitCode !== null || child.signalCode !== null) return;
      whyClosed = "the process has closed its output";
      void close();
    }, END_OF_INPUT_MS);
  });
  // A write to a process that has just ended: its exit says the rest.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => undefined);

  function finish(reason: string): void {
    if (ended) return;
    ended = true;
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    handlers.onExit(reason);
    if (child.exitCode === null && child.signalCode === null) gone.resolve();
  }

  child.once("exit", (code, signal) => {
    const reason = closing ? whyClosed : signal === null ? `the process exited with code ${code}` : `the process was ended by ${signal}`;
    const drained = setTimeout(() => finish(reason), DRAIN_MS);
    child.once("close", () => {
      clearTimeout(drained);
      finish(reason);
    });
    // The process may have been a wrapper (npx, sh): what it started gets the same time to end in order.
    endGroup(pid, spec.killAfterMs).then(gone.resolve);
  });

  function close(): Promise<void> {
    if (closing || ended) return gone.promise;
    closing = true;
    child.stdin.end();
    // A server that ends at the end of its input is not disturbed while it does.
    const killAt = END_OF_INPUT_MS + spec.killAfterMs;
    const steps = [
      setTimeout(() => signalGroup(pid, "SIGTERM"), END_OF_INPUT_MS),
      setTimeout(() => signalGroup(pid, "SIGKILL") || child.kill("SIGKILL"), killAt),
      // A process that the kernel cannot end (stuck in a device) must not hold us.
      setTimeout(() => finish("the process cannot be ended"), killAt + UNKILLABLE_MS),
    ];
    child.once("exit", () => {
      for (const step of steps) clearTimeout(step);
    });
    return gone.promise;
  }

  return {
    pid,
    stderr,
    pendingBytes: () => child.stdin.writableLength,
    write(text) {
      if (ended || !child.stdin.writable) return false;
      child.stdin.write(text);
      return true;
    },
    close,
  };
}

/** SIGTERM to what is left of a group, SIGKILL after `killAfterMs`; resolves when it is empty or was sent SIGKILL. */
async function endGroup(group: number, killAfterMs: number): Promise<void> {
  if (!signalGroup(group, "SIGTERM")) return;
  for (let waited = 0; waited < killAfterMs; waited += POLL_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (!signalGroup(group, 0)) return;
  }
  signalGroup(group, "SIGKILL");
}

/** Signals every process of the group (0 only asks); false when nobody in it can be reached. */
export function signalGroup(group: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    // ESRCH: nobody left. EPERM: all members changed their user.
    return false;
  }
}

function startFailure(spec: ChildSpec, error: unknown): Error {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const where = spec.cwd === undefined ? "" : ` (in ${spec.cwd})`;
  if (code === "ENOENT") {
    return new Error(`Cannot start "${spec.command}"${where}: no such command or folder. Install it, or give its full path in "command".`);
  }
  if (code === "EACCES") {
    return new Error(
      `Cannot start "${spec.command}"${where}: it is not executable. Run chmod +x on it, or start it through its interpreter.`,
    );
  }
  return new Error(`Cannot start "${spec.command}"${where}: ${error instanceof Error ? error.message : String(error)}`);
}
