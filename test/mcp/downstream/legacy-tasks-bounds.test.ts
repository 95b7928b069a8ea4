import { expect, test } from "bun:test";
import type { CallOutcome } from "../../../src/mcp/downstream/downstream.ts";
import { legacyTasks } from "../../../src/mcp/downstream/legacy-tasks.ts";
import type { RawRequest } from "../../../src/mcp/downstream/raw-calls.ts";

const handle = (taskId: string) => ({ taskId, era: "legacy" as const });
const never = new Promise<never>(() => undefined);

function tasks(answer: (request: RawRequest) => Readonly<Record<string, unknown>> | undefined) {
  const sent: string[] = [];
  const request = async (raw: RawRequest): Promise<CallOutcome> => {
    sent.push(`${raw.method} ${raw.params["taskId"]}`);
    const result = answer(raw);
    return result ? { kind: "result", result } : never;
  };
  return { sent, ...legacyTasks({ request }) };
}

test("an older server that tells of another task has told nothing", async () => {
  const { report } = tasks(() => ({ taskId: "another", status: "completed" }));
  expect(await report(handle("one"))).toEqual({ kind: "failed", reason: "The server tells of another task than it was asked for." });
});

test("an outcome that never comes is waited for once a task, and of 256 tasks at a time", async () => {
  const { report, sent } = tasks(({ method }) => (method === "tasks/get" ? { status: "input_required" } : undefined));
  const outcomes = () => sent.filter((line) => line.startsWith("tasks/result")).length;
  for (let time = 0; time < 3; time++) for (let n = 0; n < 256; n++) await report(handle(`t${n}`));
  expect(outcomes()).toBe(256);
  await report(handle("t256"));
  await report(handle("t0"));
  expect(outcomes()).toBe(258);
});
