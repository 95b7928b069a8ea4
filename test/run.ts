/** Checks types and style, runs all tests and sums them up: skipped ones by name and reason, and the last line is `N passed, N failed[, N skipped]`. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { upToDateBinary } from "../scripts/binary.ts";
import { type Outcome, readJunit } from "./junit.ts";

const REPOSITORY = join(import.meta.dir, "..");
const PEERS = join(import.meta.dir, "peers");
const PER_TEST_MS = 60_000;
const INSTALL_MS = 180_000;
/** All parts together, several times what they take; whatever runs then hangs, is ended and counts as failed. */
const WHOLE_MS = 1_500_000;
/** Files whose tests start processes keep apart from the rest, and those that kill the gateway hundreds of times run alone: they load both cores. */
const CRASHES = /^test\/system\/crash\//;
const PROCESSES = /^test\/(system|conformance|peers)\/|^test\/mcp\/downstream\/(peers|stdio-\w+)\.test\.ts$/;
const partOf = (file: string) => (CRASHES.test(file) ? "crashes" : PROCESSES.test(file) ? "processes" : "rest");

const began = performance.now();

/** Other people's servers, for the tests that need them. Without a registry those tests are skipped. */
function installPeers(): void {
  if (existsSync(join(PEERS, "node_modules"))) return;
  const { success } = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile", "--silent"], {
    cwd: PEERS,
    stdio: ["ignore", "inherit", "inherit"],
    timeout: INSTALL_MS,
  });
  if (success) return;
  rmSync(join(PEERS, "node_modules"), { recursive: true, force: true }); // half of it is worse than nothing
  console.error("test/peers could not be installed (no registry?)");
}

/** `bun run check` in two halves, each counted like a test. */
async function check(name: string, argv: readonly string[]): Promise<Outcome> {
  const child = Bun.spawn([join(REPOSITORY, "node_modules", ".bin", argv[0] ?? ""), ...argv.slice(1)], {
    cwd: REPOSITORY,
    stdio: ["ignore", "inherit", "inherit"],
  });
  return { file: "check", name, verdict: (await child.exited) === 0 ? "passed" : "failed", seconds: 0 };
}

interface Part {
  readonly name: string;
  readonly files: readonly string[];
  readonly flags: readonly string[];
}

async function run({ name, files, flags }: Part, folder: string): Promise<Outcome[]> {
  if (files.length === 0) return [];
  const report = join(folder, `${name}.xml`);
  const args = ["test", "--only-failures", `--timeout=${PER_TEST_MS}`, "--reporter=junit", `--reporter-outfile=${report}`, ...flags];
  const started = performance.now();
  // A group of its own, so that workers and whatever they started end with it.
  const child = Bun.spawn([process.execPath, ...args, ...files.map((file) => `./${file}`)], {
    cwd: REPOSITORY,
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  const end = () => void process.kill(-child.pid, "SIGKILL");
  const limit = setTimeout(end, Math.max(1, WHOLE_MS - (performance.now() - began)));
  const interrupted = () => {
    end();
    process.exit(130);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, interrupted);
  const code = await child.exited;
  clearTimeout(limit);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupted);
  const outcomes = existsSync(report) ? readJunit(await Bun.file(report).text()) : [];
  console.log(`${name}: ${outcomes.length} tests of ${files.length} files in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  // A file that does not load, an error between tests, a run that had to be ended: no test of the report failed, and yet not all is well.
  const isUntold = code !== 0 && !outcomes.some(({ verdict }) => verdict === "failed");
  return isUntold
    ? [...outcomes, { file: name, name: `the run ended with ${child.signalCode ?? `code ${code}`}`, verdict: "failed", seconds: 0 }]
    : outcomes;
}

/** The five files whose tests took longest, for whoever wants the run to be shorter. */
function slowest(of: readonly Outcome[]): string {
  const byFile = Map.groupBy(of, ({ file }) => file);
  const times = [...byFile].map(([file, tests]) => ({ file, seconds: tests.reduce((sum, { seconds }) => sum + seconds, 0) }));
  times.sort((a, b) => b.seconds - a.seconds);
  return times
    .slice(0, 5)
    .map(({ file, seconds }) => `${file} ${seconds.toFixed(1)} s`)
    .join(", ");
}

/** Groups that can be skipped say why in their names, or else they need what other people made. */
const reasonOf = ({ name }: Outcome): string => (/\(.*\) >/.test(name) ? "" : " (test/peers is not installed)");

const outcomes = await Promise.all([check("types", ["tsc", "--noEmit"]), check("style", ["biome", "check", "--error-on-warnings", "."])]);
installPeers();
try {
  upToDateBinary(); // once, before tests that need it run side by side
} catch (error) {
  console.error(error instanceof Error ? error.message : error); // the tests that need it fail
}
const files = [...new Bun.Glob("test/**/*.test.ts").scanSync({ cwd: REPOSITORY })].filter((file) => !file.includes("node_modules")).sort();
const folder = mkdtempSync(join(tmpdir(), "toolcrib-test-"));
try {
  for (const [name, flags] of [
    ["rest", "--parallel=2"],
    ["processes", "--parallel=2"],
    ["crashes", "--isolate"],
  ] as const)
    outcomes.push(...(await run({ name, files: files.filter((file) => partOf(file) === name), flags: [flags] }, folder)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const only = (verdict: Outcome["verdict"]) => outcomes.filter((outcome) => outcome.verdict === verdict);
const [passed, failed, skipped] = [only("passed"), only("failed"), only("skipped")];
console.log(`slowest: ${slowest(outcomes)}`);
for (const outcome of skipped) console.log(`skipped: ${outcome.file}: ${outcome.name}${reasonOf(outcome)}`);
for (const { file, name } of failed) console.log(`failed: ${file}: ${name}`);
console.log(`${passed.length} passed, ${failed.length} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`);
process.exit(failed.length > 0 || passed.length === 0 ? 1 : 0);
