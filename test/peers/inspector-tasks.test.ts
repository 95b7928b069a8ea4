/** The MCP Inspector's command line follows a task of the edge to its result. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type ConformanceEdge, serveConformanceEdge } from "../conformance/edge.ts";
import { INSPECTOR, LIMIT_MS, MISSING, named, temporaryFolder } from "./peers.ts";

setDefaultTimeout(LIMIT_MS);

describe.skipIf(MISSING)(named("MCP Inspector, tasks"), () => {
  let edge: ConformanceEdge;
  beforeAll(() => {
    edge = serveConformanceEdge();
  });
  afterAll(() => edge?.close());

  async function call(tool: string, args: Readonly<Record<string, unknown>>) {
    using folder = temporaryFolder();
    const env = { ...process.env, MCP_CATALOG_PATH: join(folder.path, "catalog.json"), NO_COLOR: "1" };
    const flags = ["--transport", "http", "--protocol-era", "modern", "--format", "json", "--method", "tools/call"];
    const command = [
      process.execPath,
      INSPECTOR,
      "--cli",
      edge.url,
      ...flags,
      "--tool-name",
      tool,
      "--tool-args-json",
      JSON.stringify(args),
    ];
    const run = Bun.spawn(command, { cwd: folder.path, env, stdio: ["ignore", "pipe", "pipe"] });
    const [output, problems] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited]);
    return output === "" ? problems : (JSON.parse(output) as unknown);
  }

  test("a call that goes on ends with its result", async () => {
    const tasksBefore = edge.tasksStarted();
    expect(await call("slow_compute", { seconds: 0.5, label: "sums" })).toMatchObject({
      result: { content: [{ type: "text", text: "Computed sums" }] },
    });
    expect(edge.tasksStarted()).toBe(tasksBefore + 1);
  });

  test("a tool that fails in the background fails for it", async () => {
    expect(JSON.stringify(await call("failing_job", {}))).toContain("It failed");
  });
});
