/** Finds and ends children that a killed predecessor of ours left behind. */
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { signalGroup } from "./child.ts";
import { CHILD_MARKER } from "./environment.ts";

/** The newest ones are looked at; older processes have ended long ago. */
const MAX_PIDS = 1000;

/** Appends the id of a started process, for systems without /proc. */
export function recordChild(pidFile: string, pid: number): void {
  appendFileSync(pidFile, `${pid}\n`, { mode: 0o600 });
}

/**
 * Sends SIGKILL to every process group with a member that carries this marker in its environment; ours is spared. Call it at start, when
 * nothing of ours runs yet. Linux reads /proc; elsewhere the ids in `pidFile` are checked with ps, and the file is removed. Returns the number
 * of groups. Takes a few milliseconds.
 */
export function sweepOrphans(marker: string, pidFile?: string): number {
  const groups = existsSync("/proc/self/environ") ? markedInProc(marker) : markedInFile(marker, pidFile);
  if (pidFile !== undefined) rmSync(pidFile, { force: true });
  groups.delete(ownGroup());
  let swept = 0;
  for (const group of groups) if (group > 1 && signalGroup(group, "SIGKILL")) swept++;
  return swept;
}

function markedInProc(marker: string): Set<number> {
  const wanted = `${CHILD_MARKER}=${marker}`;
  const groups = new Set<number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      if (!readFileSync(`/proc/${name}/environ`, "latin1").split("\0").includes(wanted)) continue;
      groups.add(groupIn(readFileSync(`/proc/${name}/stat`, "latin1")));
    } catch {
      // Ended meanwhile, or another user's.
    }
  }
  return groups;
}

/** Also used directly by tests, as Linux never needs it. */
export function markedInFile(marker: string, pidFile: string | undefined): Set<number> {
  if (pidFile === undefined || !existsSync(pidFile)) return new Set();
  const pids = readFileSync(pidFile, "utf8")
    .split("\n")
    .filter((line) => /^\d+$/.test(line));
  if (pids.length === 0) return new Set();
  // An id may belong to somebody else by now, hence the look at its environment. Each child leads its own group.
  const args = ["eww", "-o", "pid=,command=", "-p", pids.slice(-MAX_PIDS).join(",")];
  const { stdout } = spawnSync("ps", args, { encoding: "utf8", timeout: 1500, maxBuffer: 64 * 1024 * 1024 });
  const marked = (stdout ?? "").split("\n").filter((line) => `${line} `.includes(` ${CHILD_MARKER}=${marker} `));
  return new Set(marked.map((line) => Number.parseInt(line, 10)));
}

function ownGroup(): number {
  try {
    return groupIn(readFileSync("/proc/self/stat", "latin1"));
  } catch {
    return process.pid;
  }
}

/** The command in the second field may itself hold brackets and blanks, so fields are counted from the last bracket: state, parent, group. */
function groupIn(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);
}
