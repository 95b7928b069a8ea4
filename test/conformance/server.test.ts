/** The official conformance suite against the upstream edge, both requirement sets, with the hand-written path on. */
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveConformanceEdge } from "./edge.ts";

/** The extension for calls that go on in the background. */
const TASKS = [
  ...["lifecycle", "capability-negotiation", "wire-fields", "request-state-removal", "mrtr-input", "request-headers"],
  ...["dispatch-and-envelope", "required-task-error", "mrtr-composition"],
].map((name) => `tasks-${name}`);

interface Verdict {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
}

interface SuiteRun {
  readonly exitCode: number;
  readonly scored: readonly Verdict[];
  /** Run and reported by the suite, but no part of conformance. */
  readonly unscored: readonly Verdict[];
  readonly handCalls: number;
  readonly output: string;
}

const runner = join(import.meta.dir, "../../node_modules/@modelcontextprotocol/conformance/dist/index.js");

async function runSuite(requirements: string): Promise<SuiteRun> {
  const folder = await mkdtemp(join(tmpdir(), "conformance-"));
  const edge = serveConformanceEdge();
  try {
    const command = ["bun", runner, "server", "--url", edge.url, "--requirements", requirements, "-o", folder];
    const child = Bun.spawn(command, { cwd: folder, stdout: "pipe", stderr: "pipe", env: { ...Bun.env, NO_COLOR: "1" } });
    const [output, problems, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    return { exitCode, ...verdictsIn(output), handCalls: edge.handCalls(), output: output + problems };
  } finally {
    await edge.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function verdictsIn(output: string): { scored: Verdict[]; unscored: Verdict[] } {
  const summary = output.slice(output.indexOf("=== SUMMARY ==="));
  const [counted = "", rest = ""] = summary.split("Not scored for");
  const outside = new Set([...rest.matchAll(/^\s*[✓✗] (\S+) \(/gm)].map((match) => match[1]));
  const all = [...counted.matchAll(/^\s*[✓✗] (\S+): (\d+) passed, (\d+) failed/gm)].map(([, name = "", passed, failed]) => ({
    name,
    passed: Number(passed),
    failed: Number(failed),
  }));
  return { scored: all.filter(({ name }) => !outside.has(name)), unscored: all.filter(({ name }) => outside.has(name)) };
}

function expectConformant(run: SuiteRun, scenarios: number): void {
  const faulty = run.scored.filter(({ passed, failed }) => failed > 0 || passed === 0);
  expect({ faulty, log: faulty.length > 0 ? run.output : "" }).toEqual({ faulty: [], log: "" });
  expect(run.scored).toHaveLength(scenarios);
  expect(run.exitCode).toBe(0);
  expect(run.handCalls).toBeGreaterThan(5);
}

function expectPassing(run: SuiteRun, names: readonly string[]): void {
  for (const name of names) {
    const verdict = run.unscored.find((scenario) => scenario.name === name);
    expect({ name, failed: verdict?.failed, some: (verdict?.passed ?? 0) > 0 }).toEqual({ name, failed: 0, some: true });
  }
}

test("every scored scenario of 2025-11-25 passes", async () => {
  const run = await runSuite("2025-11-25");
  expectConformant(run, 30);
  expectPassing(run, ["server-session-lifecycle", "json-schema-2020-12"]);
}, 120_000);

test("every scored scenario of 2026-07-28 passes", async () => {
  const run = await runSuite("2026-07-28");
  expectConformant(run, 37);
  expectPassing(run, ["json-schema-2020-12", "http-header-validation", "http-custom-header-server-validation"]);
  expectPassing(run, TASKS);
  // Optional, and nothing of it is offered: there is nothing to check.
  expect(run.unscored).toContainEqual({ name: "tasks-status-notifications", passed: 0, failed: 0 });
}, 120_000);
