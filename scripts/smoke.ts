/** `bun run scripts/smoke.ts [BINARY]`: the binary in an empty folder serves, calls, survives kill -9 with its log, and finds it sound. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { BINARY } from "./binary.ts";
import { callTool, runVerb, startGateway } from "./gateway.ts";

function check(isTrue: boolean, what: string, seen: unknown): void {
  if (!isTrue) throw new Error(`${what}; seen: ${JSON.stringify(seen)}`);
  console.log(`smoke: ${what}`);
}

const binary = resolve(process.argv[2] ?? BINARY);
const folder = mkdtempSync(join(tmpdir(), "toolcrib-smoke-"));
// Nothing of the caller's: neither settings nor a home.
const env = { PATH: "/usr/bin:/bin", HOME: folder };
const start = { command: [binary], args: ["--data", "data", "--listen", "127.0.0.1:0"], cwd: folder, env };
try {
  await using first = await startGateway(start);
  const { status } = await fetch(`${first.url}/readyz`);
  check(status === 200, "without any configuration it serves and is ready", { status, output: first.output() });
  const call = await callTool(first.url, "mcp_list_services", {});
  check(call.status === 200 && call.body["isError"] === false, "a built-in tool answers over REST", call);
  const code = await first.end("SIGKILL");
  check(code === null || code === 137, "kill -9 ends it", code);

  await using second = await startGateway(start);
  const id = String(call.body["callId"]);
  const log = await runVerb([binary, "events", "--data", "data", "--call", id, "--json"], folder, env);
  check(log.code === 0 && log.out.includes("call.answered"), "after a new start the log holds the call and its answer", log);
  check((await callTool(second.url, "mcp_list_services", {})).status === 200, "it answers again", second.output());
  check((await second.end("SIGTERM")) === 0, "SIGTERM ends it in good order", second.output());

  const verified = await runVerb([binary, "verify", "--data", "data"], folder, env);
  check(verified.code === 0, "verify finds the log sound", verified);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
