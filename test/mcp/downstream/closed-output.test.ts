/** A child process that closes its output and lives on cannot answer any more. */
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { closeAll, open, until, untilDead } from "./support.ts";

const CLOSER = join(import.meta.dir, "..", "..", "fixtures", "servers", "closes-output.sh");
afterEach(closeAll);

test("it is ended, and so is the connection: the call that runs is lost, not left to its deadline", async () => {
  const { downstream, closed } = await open({ kind: "stdio", command: "sh", args: [CLOSER], env: {} }, { killAfterMs: 100 });
  const { pid = 0 } = downstream;
  expect(await downstream.call({ tool: "bye", arguments: {} })).toEqual({ kind: "lost", reason: "the process has closed its output" });
  await untilDead(pid);
  await until(() => closed.length > 0);
  expect(closed).toEqual(["the process has closed its output"]);
});
