/** Our downstream client against the official conformance suite, for both requirement sets. */
import { expect, test } from "bun:test";

const ROOT = `${import.meta.dir}/../..`;
const RUNNER = "node_modules/@modelcontextprotocol/conformance/dist/index.js";

test.each(["2025-11-25", "2026-07-28"])(
  "every scored client scenario of %s passes, but for the listed ones",
  async (revision) => {
    const run = Bun.spawn(
      [
        process.execPath,
        RUNNER,
        "client",
        "--command",
        `${process.execPath} test/conformance/client.ts`,
        "--requirements",
        revision,
      ].concat(["--expected-failures", "test/conformance/client-expected-failures.yaml"]),
      { cwd: ROOT, stdout: "pipe", stderr: "pipe" },
    );
    const [output, code] = await Promise.all([new Response(run.stdout).text(), run.exited]);
    const summary = output.slice(output.indexOf("=== SUITE SUMMARY"));
    expect(summary).toContain("Baseline check passed");
    expect(code).toBe(0);
  },
  90_000,
);
