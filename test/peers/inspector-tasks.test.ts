/** The MCP Inspector's command line follows tasks to their results: of the edge, and of a server behind the whole product. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type ConformanceEdge, serveConformanceEdge } from "../conformance/edge.ts";
import { type Gateway, startGateway } from "./gateway.ts";
import { INSPECTOR, LIMIT_MS, MISSING, named, temporaryFolder } from "./peers.ts";

setDefaultTimeout(LIMIT_MS);

const TASK_SERVER = join(import.meta.dir, "../fixtures/servers/task-server.ts");

async function callAt(url: string, tool: string, args: Readonly<Record<string, unknown>>) {
  using folder = temporaryFolder();
  const env = { ...process.env, MCP_CATALOG_PATH: join(folder.path, "catalog.json"), NO_COLOR: "1" };
  const flags = ["--transport", "http", "--protocol-era", "modern", "--format", "json", "--method", "tools/call"];
  const named = ["--tool-name", tool, "--tool-args-json", JSON.stringify(args)];
  const run = Bun.spawn([process.execPath, INSPECTOR, "--cli", url, ...flags, ...named], {
    cwd: folder.path,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, problems] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited]);
  return output === "" ? problems : (JSON.parse(output) as unknown);
}

describe.skipIf(MISSING)(named("MCP Inspector, tasks"), () => {
  let edge: ConformanceEdge;
  beforeAll(() => {
    edge = serveConformanceEdge();
  });
  afterAll(() => edge?.close());

  test("a call that goes on ends with its result", async () => {
    const tasksBefore = edge.tasksStarted();
    expect(await callAt(edge.url, "slow_compute", { seconds: 0.5, label: "sums" })).toMatchObject({
      result: { content: [{ type: "text", text: "Computed sums" }] },
    });
    expect(edge.tasksStarted()).toBe(tasksBefore + 1);
  });

  test("a tool that fails in the background fails for it", async () => {
    expect(JSON.stringify(await callAt(edge.url, "failing_job", {}))).toContain("It failed");
  });
});

describe.skipIf(MISSING)(named("MCP Inspector, tasks behind the product"), () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ far: { command: process.execPath, args: [TASK_SERVER], tasks: true } });
  });
  afterAll(() => gateway?.stop());

  test("a server's task ends with its result", async () => {
    expect(await callAt(`${gateway.url}/mcp`, "far__quick", { value: 7 })).toMatchObject({
      result: { content: [{ type: "text", text: "quick 7" }] },
    });
    expect(await gateway.eventsOf("far__quick")).toContain("task.delivered");
  });

  test("one that breaks off fails for it", async () => {
    expect(JSON.stringify(await callAt(`${gateway.url}/mcp`, "far__failing", { protocol: true }))).toContain("no luck");
  });
});
