/** `bun run bench`: toolcrib beside other gateways, a direct connection and a gateway without kernel and log, in interleaved rounds. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import type { Order, Seen } from "./measure.ts";
import type { Measured, Run } from "./report.ts";
import { resultsFile, tables } from "./report.ts";
import { withOthers } from "./sections.ts";
import { soak } from "./soak.ts";
import { withSystem } from "./started.ts";
import type { System } from "./systems.ts";
import { BINARY, REPOSITORY, SYSTEMS } from "./systems.ts";

const HELP = `bun run bench [--rounds 3] [--secs 5] [--only NAME[,NAME]] [--soak CALLS]
  --rounds N   how often every system is measured (default 3)
  --secs S     seconds of load at each of 1, 16 and 64 in flight (default 5)
  --only NAME  only systems whose name contains NAME (figures are printed, RESULTS.md stays): ${SYSTEMS.map(({ key }) => key).join(", ")}
  --soak N     instead of the comparison: N calls through toolcrib (or --only), memory on the way`;

const SEQUENTIAL = 1000;
const LATEST = join(REPOSITORY, "bench", "results", "latest.json");

/** Runs a program to its end and returns what it printed; throws with its errors when it failed. */
async function run(argv: readonly string[], cwd: string): Promise<string> {
  const child = Bun.spawn([...argv], { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`${argv.slice(0, 3).join(" ")} failed:\n${errors.slice(-2000)}`);
  return out;
}

async function measureOnce(system: System, round: number, secs: number): Promise<Run> {
  return withSystem(system, async ({ pid, target, readyMs, firstCallMs }) => {
    const order: Order = { target, pid, secs, inFlight: [1, 16, 64], sequential: SEQUENTIAL };
    const seen = JSON.parse(await run(["bun", join(import.meta.dir, "measure.ts"), JSON.stringify(order)], REPOSITORY)) as Seen;
    return { ...seen, system: system.key, round, firstCallMs, ...(readyMs !== undefined && { readyMs }) };
  });
}

function progress(result: Run): void {
  const speeds = Object.entries(result.loads).map(
    ([n, load]) => `${n}: ${Math.round(load.callsPerSecond)}/s ${load.cpuMsPerCall.toFixed(2)} ms`,
  );
  console.error(
    `round ${result.round} ${result.system.padEnd(18)} ${speeds.join("  ")}  p50 ${result.sequential.p50Ms.toFixed(2)} ms  wrong ${result.wrong}`,
  );
}

/** Every system once a round, every second round backwards, so that a drift of the machine meets all of them. */
async function compare(systems: readonly System[], rounds: number, secs: number): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const system of round % 2 === 1 ? systems : systems.toReversed()) {
      const result = await measureOnce(system, round, secs);
      progress(result);
      runs.push(result);
    }
  }
  return runs;
}

function latest(): Measured {
  if (existsSync(LATEST)) return JSON.parse(readFileSync(LATEST, "utf8")) as Measured;
  return { at: "", command: "", loadBefore: 0, runs: [], soaks: [] };
}

/** Keeps the figures (out of git) and renders RESULTS.md from the last full comparison and the last soak. */
function keep(measured: Measured): void {
  mkdirSync(dirname(LATEST), { recursive: true });
  writeFileSync(LATEST, JSON.stringify(measured, null, 1));
  if (measured.runs.length === 0) return;
  const file = join(REPOSITORY, "bench", "RESULTS.md");
  writeFileSync(file, withOthers(resultsFile(measured), readFileSync(file, "utf8")));
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "3" },
      secs: { type: "string", default: "5" },
      only: { type: "string" },
      soak: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const [rounds, secs, soakCalls] = [Number(values.rounds), Number(values.secs), Number(values.soak ?? 0)];
  const wanted = values.only?.split(",");
  const systems = SYSTEMS.filter(({ key, role }) =>
    wanted ? wanted.some((part) => key.includes(part)) : values.soak === undefined || role === "ours",
  );
  if (values.help || !(rounds >= 1 && secs > 0 && soakCalls >= 0) || systems.length === 0) {
    console.error(HELP);
    return values.help ? 0 : 2;
  }
  await run(["bun", "install", "--frozen-lockfile"], join(REPOSITORY, "bench", "peers"));
  if (systems.some(({ role }) => role === "ours") && !existsSync(BINARY)) await run(["bun", "run", "build"], REPOSITORY);

  const command = `bun run bench ${process.argv.slice(2).join(" ")}`.trim();
  const at = new Date().toISOString();
  const loadBefore = loadavg()[0] ?? 0;
  if (soakCalls > 0) {
    const soaks = [];
    for (const system of systems) soaks.push(await soak(system, soakCalls));
    console.log(tables({ at, command, loadBefore, runs: [], soaks }));
    if (!wanted) keep({ ...latest(), soakAt: at, soaks });
    return 0;
  }
  const runs = await compare(systems, rounds, secs);
  const measured: Measured = { at, command, loadBefore, runs, soaks: [] };
  console.log(tables(measured));
  if (!wanted) keep({ ...latest(), at, command, loadBefore, runs });
  const wrong = runs.filter((result) => result.wrong > 0);
  for (const result of wrong)
    console.error(`${result.system}: ${result.wrong} wrong calls in round ${result.round}; the first: ${result.firstWrong}`);
  return wrong.length === 0 ? 0 : 1;
}

process.exit(await main());
