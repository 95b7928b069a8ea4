/** Starting, measuring and ending the processes of the bench; CPU and memory come from /proc, so this is for Linux only. */
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";

/** What a process tree used, without the downstream echo server in it. */
export interface Usage {
  /** CPU of user and kernel since the start, ms; ticks of 10 ms. */
  readonly cpuMs: number;
  readonly rssMiB: number;
}

const TICK_MS = 10;

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // the process ended in between
  }
}

/** The fields of /proc/PID/stat after the command name: 1 is the parent, 11 and 12 are user and system ticks. */
function statFields(pid: number): readonly string[] {
  const stat = read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The process and all its descendants that live now. */
export function processTree(root: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = Number(statFields(Number(entry))[1]);
    const siblings = children.get(parent);
    if (siblings) siblings.push(Number(entry));
    else children.set(parent, [Number(entry)]);
  }
  const found = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

/** The downstream is a node process whose program is the echo server; a gateway that only names it among its arguments is not. */
function isDownstream(pid: number): boolean {
  const [program, script] = read(`/proc/${pid}/cmdline`).split("\0");
  return /(^|\/)node$/.test(program ?? "") && (script ?? "").endsWith("echo-server.mjs");
}

/** CPU and memory of the tree under `root`; `root` itself always counts, its downstream never. */
export function usage(root: number): Usage {
  let ticks = 0;
  let kib = 0;
  for (const pid of processTree(root)) {
    if (pid !== root && isDownstream(pid)) continue;
    const fields = statFields(pid);
    ticks += Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
    kib += Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
  }
  return { cpuMs: ticks * TICK_MS, rssMiB: kib / 1024 };
}

/** A loopback port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => (address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port"))));
    });
  });
}

export interface Running {
  readonly pid: number;
  /** The last of what it wrote, for an error message. */
  output(): string;
  hasEnded(): boolean;
  /** SIGTERM to the process, after 4 s SIGKILL; then SIGKILL to descendants of it that still live. */
  stop(): Promise<void>;
}

/** Starts a program whose output goes to `logFile`. */
export function start(argv: readonly string[], options: { cwd: string; env?: Readonly<Record<string, string>>; logFile: string }): Running {
  const log = Bun.file(options.logFile);
  const child = Bun.spawn([...argv], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdin: "ignore",
    stdout: log,
    stderr: log,
  });
  return {
    pid: child.pid,
    output: () => read(options.logFile).slice(-2000),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async stop() {
      const descendants = processTree(child.pid)
        .slice(1)
        .map((pid) => ({ pid, command: read(`/proc/${pid}/cmdline`) }));
      child.kill("SIGTERM");
      const force = setTimeout(() => child.kill("SIGKILL"), 4000);
      await child.exited;
      clearTimeout(force);
      await Bun.sleep(100);
      for (const { pid, command } of descendants) {
        if (command !== "" && read(`/proc/${pid}/cmdline`) === command) process.kill(pid, "SIGKILL");
      }
    },
  };
}
