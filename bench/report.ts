/** Turns what the bench measured into tables of medians and ratios, for the terminal and for RESULTS.md. */
import { readFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import type { Seen } from "./measure.ts";
import type { Soak } from "./soak.ts";
import type { System } from "./systems.ts";
import { REPOSITORY, SYSTEMS } from "./systems.ts";

/** One system in one round. */
export interface Run extends Seen {
  readonly system: string;
  readonly round: number;
  readonly readyMs?: number;
  readonly firstCallMs: number;
}

export interface Measured {
  /** ISO time of the last comparison and the command that made it. */
  readonly at: string;
  readonly command: string;
  /** The machine's 1-minute load average just before: well above 0 means that somebody else was at work. */
  readonly loadBefore: number;
  readonly runs: readonly Run[];
  readonly soakAt?: string;
  readonly soaks: readonly Soak[];
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** A Markdown table; the first row is its head. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string => `| ${widths.map((width, column) => (row[column] ?? "").padEnd(width)).join(" | ")} |`;
  const [head, ...body] = rows;
  return [line(head ?? []), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...body.map(line)].join("\n");
}

const whole = (value: number): string => Math.round(value).toLocaleString("en-US");
const fine = (value: number): string => value.toFixed(2);

/** The median over the rounds of one figure of one system; NaN when it did not run. */
function medianOf(measured: Measured, system: string, figure: (run: Run) => number): number {
  return median(measured.runs.filter((run) => run.system === system).map(figure));
}

const speed = (inFlight: number) => (run: Run) => run.loads[inFlight]?.callsPerSecond ?? Number.NaN;
const cpu = (inFlight: number) => (run: Run) => run.loads[inFlight]?.cpuMsPerCall ?? Number.NaN;
const tail = (inFlight: number) => (run: Run) => run.loads[inFlight]?.p99Ms ?? Number.NaN;

function present(measured: Measured): readonly System[] {
  return SYSTEMS.filter(({ key }) => measured.runs.some((run) => run.system === key));
}

function systemsTable(measured: Measured): string {
  const head =
    "system | calls/s 1 / 16 / 64 in flight | CPU ms a call 16 / 64 | one at a time p50 / p99 ms | p99 ms 16 / 64 | RSS idle / peak MiB";
  const rows = present(measured).map(({ key }) => {
    const of = (figure: (run: Run) => number): number => medianOf(measured, key, figure);
    return [
      key,
      [1, 16, 64].map((n) => whole(of(speed(n)))).join(" / "),
      [16, 64].map((n) => fine(of(cpu(n)))).join(" / "),
      `${fine(of((run) => run.sequential.p50Ms))} / ${fine(of((run) => run.sequential.p99Ms))}`,
      [16, 64].map((n) => whole(of(tail(n)))).join(" / "),
      `${whole(of((run) => run.rssIdleMiB))} / ${whole(of((run) => run.rssPeakMiB))}`,
      startTimes(of),
    ];
  });
  return table([[...head.split(" | "), "ready / first call ms"], ...rows]);
}

function startTimes(of: (figure: (run: Run) => number) => number): string {
  const ready = of((run) => run.readyMs ?? Number.NaN);
  return `${Number.isNaN(ready) ? "–" : whole(ready)} / ${whole(of((run) => run.firstCallMs))}`;
}

function ratiosTable(measured: Measured): string {
  const peers = present(measured).filter(({ role }) => role === "peer");
  const rows: string[][] = [
    ["system", "in flight", "× fastest peer", "× direct http", "× null gateway", "added p50 over null gateway, ms"],
  ];
  for (const { key } of present(measured).filter(({ role }) => role === "ours")) {
    for (const n of [1, 16, 64]) {
      const own = medianOf(measured, key, speed(n));
      const times = (other: string): string => ratio(own / medianOf(measured, other, speed(n)));
      const best = Math.max(...peers.map((peer) => medianOf(measured, peer.key, speed(n))));
      const name = peers.find((peer) => medianOf(measured, peer.key, speed(n)) === best)?.key ?? "none ran";
      const alone = (system: string): number => medianOf(measured, system, (run) => run.sequential.p50Ms);
      const added = n === 1 ? ratio(alone(key) - alone("null gateway")) : "";
      rows.push([key, String(n), `${ratio(own / best)} (${name})`, times("direct http"), times("null gateway"), added]);
    }
  }
  return table(rows);
}

const ratio = (value: number): string => (Number.isFinite(value) ? fine(value) : "–");

/** What the bench asks of the product, as [what, figure, bound, whether more is better]. */
function goals(measured: Measured): readonly (readonly [string, number, number, boolean])[] {
  const peers = present(measured).filter(({ role }) => role === "peer");
  const against = (key: string, n: number): number =>
    medianOf(measured, key, speed(n)) / Math.max(...peers.map((peer) => medianOf(measured, peer.key, speed(n))));
  const read = (figure: (run: Run) => number): number => medianOf(measured, "toolcrib read", figure);
  const alone = (run: Run): number => run.sequential.p50Ms;
  return [
    ["read × fastest peer, 16 in flight", against("toolcrib read", 16), 1.5, true],
    ["read × fastest peer, 64 in flight", against("toolcrib read", 64), 1.5, true],
    ["mutating × fastest peer, 16 in flight", against("toolcrib mutating", 16), 1.3, true],
    ["mutating × fastest peer, 64 in flight", against("toolcrib mutating", 64), 1.5, true],
    ["CPU ms a call, read, 16 in flight", read(cpu(16)), 0.5, false],
    ["CPU ms a call, mutating, 16 in flight", medianOf(measured, "toolcrib mutating", cpu(16)), 0.5, false],
    ["added p50 of a read over the null gateway, ms", read(alone) - medianOf(measured, "null gateway", alone), 0.5, false],
    ["RSS idle, MiB", read((run) => run.rssIdleMiB), 100, false],
    ["ready, ms", read((run) => run.readyMs ?? Number.NaN), 300, false],
  ];
}

function goalsTable(measured: Measured): string {
  const rows = goals(measured).map(([what, figure, bound, more]) => {
    const verdict = Number.isFinite(figure) ? ((more ? figure >= bound : figure <= bound) ? "met" : "missed") : "not measured";
    return [what, ratio(figure), `${more ? "≥" : "≤"} ${bound}`, verdict];
  });
  return table([["goal", "measured", "bound", ""], ...rows]);
}

function soakTable(soaks: readonly Soak[]): string {
  const rows = soaks.map(({ system, calls, callsPerSecond, rssMiB }) => {
    const at = (part: number): string => whole(rssMiB[Math.round((rssMiB.length - 1) * part)] ?? Number.NaN);
    return [system, whole(calls), whole(callsPerSecond), at(0), at(0.1), at(0.5), at(1)];
  });
  return table([["system", "calls", "calls/s", "RSS MiB before", "after 10 %", "after 50 %", "after all"], ...rows]);
}

/** The tables for the terminal: whatever has been measured. */
export function tables(measured: Measured): string {
  const parts: string[] = [];
  if (measured.runs.length > 0) parts.push(systemsTable(measured));
  if (present(measured).some(({ role }) => role === "ours")) parts.push(ratiosTable(measured), goalsTable(measured));
  if (measured.soaks.length > 0) parts.push(soakTable(measured.soaks));
  return parts.join("\n\n");
}

function versions(): string {
  const packageOf = (...path: string[]) => JSON.parse(readFileSync(join(REPOSITORY, ...path, "package.json"), "utf8")) as Versioned;
  const peers = packageOf("bench", "peers").dependencies ?? {};
  const node = Bun.spawnSync(["node", "--version"]).stdout.toString().trim().replace("v", "");
  return [
    `toolcrib ${packageOf().version}`,
    `Bun ${Bun.version}`,
    `node ${node}`,
    ...Object.entries(peers).map(([name, version]) => `${name} ${version}`),
  ].join(", ");
}

interface Versioned {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** The whole of RESULTS.md. */
export function resultsFile(measured: Measured): string {
  const rounds = new Set(measured.runs.map(({ round }) => round)).size;
  const cpuModel = cpus()[0]?.model ?? "unknown CPU";
  const filesystem = Bun.spawnSync(["df", "--output=fstype", REPOSITORY]).stdout.toString().trim().split("\n").at(-1);
  return `# Bench results

Written by \`${measured.command}\` on ${measured.at.slice(0, 16).replace("T", " ")} UTC. Medians of ${rounds} interleaved rounds; the same echo tool behind every system.

- Machine: ${cpus().length} × ${cpuModel}, ${whole(totalmem() / 2 ** 30)} GiB, Linux ${release()}, ${filesystem}; load client, gateway and downstream share it; load average before the first run ${fine(measured.loadBefore)}.
- Versions: ${versions()}.
- Calls per second swing with the machine, CPU per call is steadier: compare inside one table only.
- One at a time is measured last, when every system is warm.\n- CPU and RSS are those of the gateway's processes without the downstream (for direct http: the downstream itself).

${systemsTable(measured)}

## Ratios

${ratiosTable(measured)}

## Goals

${goalsTable(measured)}
${measured.soaks.length === 0 ? "" : `\n## Soak (${measured.soakAt?.slice(0, 10)}, 16 in flight)\n\n${soakTable(measured.soaks)}\n`}`;
}
