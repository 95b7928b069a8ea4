/** Servers of 2026-07-28 that ask in the middle of a call, or go on in the background: an operator answers and cancels, also after a restart. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../cli/support.ts";
import { call, makePlace, REPOSITORY, startDaemon, until, whenServed } from "./daemon-fixture.ts";

const ASKING = join(REPOSITORY, "test", "fixtures", "servers", "asking-server.ts");
const TASKS = join(REPOSITORY, "test", "fixtures", "servers", "task-server.ts");
const configOf = (executions: string) => ({
  mcpServers: {
    desk: { command: process.execPath, args: [ASKING, "--executions", executions], elicitation: { mode: "handback" } },
  },
});
const done = (file: string): string[] => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);

test("killed while a question waits: it is still answered, and its call is made exactly once", async () => {
  using place = makePlace();
  const executions = join(place.root, "executions");
  place.configure(configOf(executions));
  const data = ["--data", place.data];
  const first = startDaemon(place);
  await whenServed(await first.url, "desk__plain", { value: 1 });
  const asked = await call(await first.url, "desk__send_mail", { to: "grace" });
  const { question } = asked.json["structuredContent"] as { question: { id: string } };
  await first.kill();
  const listed = await run(["questions", ...data]);
  expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining("Which mailbox?")]);
  const alone = await run(["answer", question.id, '{"mailbox":"work"}', ...data]);
  expect([alone.code, alone.stderr]).toEqual([69, expect.stringContaining("toolcrib serve")]);

  await using second = startDaemon(place);
  await whenServed(await second.url, "desk__plain", { value: 2 });
  const unfit = await run(["answer", question.id, '{"mailbox":"nowhere"}', ...data]);
  expect([unfit.code, unfit.stderr]).toEqual([65, expect.stringContaining("mailbox")]);
  const answered = await run(["answer", question.id, '{"mailbox":"work"}', ...data]);
  expect([answered.code, answered.stdout, answered.stderr]).toEqual([0, expect.stringContaining("is answered"), ""]);
  await until("it is carried out", () => done(executions).includes("mail to grace from work"));
  expect((await run(["answer", question.id, '{"mailbox":"work"}', ...data])).code).toBe(1);
  expect(done(executions).filter((line) => line.startsWith("mail"))).toHaveLength(1);
  const shown = await run(["show", question.id, ...data]);
  expect(shown.stdout).toMatch(/^status +answered .* by cli:/m);
  expect(shown.stdout).not.toContain("work");
  await second.stop();
}, 60_000);

test("killed while a task runs: it is listed, told to stop, and ends as its server says", async () => {
  using place = makePlace();
  const state = join(place.root, "state");
  place.configure({
    bridge: { taskPollMinMs: 50 },
    mcpServers: { desk: { command: process.execPath, args: [TASKS, "--state", state], tasks: true } },
  });
  const data = ["--data", place.data];
  const listed = async (...flags: string[]) =>
    (JSON.parse((await run(["tasks", "--json", ...flags, ...data])).stdout) as { tasks: { id: string; status: string }[] }).tasks;
  const first = startDaemon(place);
  await whenServed(await first.url, "desk__release", { key: "none" });
  const begun = await call(await first.url, "desk__slow", { key: "k" });
  const { task } = begun.json["structuredContent"] as { task: { id: string } };
  await first.kill();
  expect(await listed()).toMatchObject([{ id: task.id, status: "working" }]);

  await using second = startDaemon(place);
  await whenServed(await second.url, "desk__release", { key: "none" });
  const told = await run(["cancel", task.id, ...data]);
  expect([told.code, told.stdout]).toEqual([0, expect.stringContaining("told to stop")]);
  await until("it has ended", async () => (await listed("--all"))[0]?.status === "cancelled");
  expect(await listed()).toEqual([]);
  expect(await run(["cancel", task.id, ...data])).toMatchObject({ code: 0, stdout: expect.stringContaining("it is cancelled") });
  expect((await run(["show", task.id, ...data])).stdout).toMatch(/^delivered +not yet/m);
  const heard = await call(await second.url, "call_status", { id: task.id });
  expect(heard.json["structuredContent"]).toMatchObject({ kind: "task", status: "cancelled" });
  await until("the agent has heard", async () => (await run(["show", task.id, ...data])).stdout.includes("task.delivered"));
  const metrics = await (await fetch(`${await second.url}/metrics`)).text();
  expect(metrics).toContain('toolcrib_tasks_settled_total{server="desk",status="cancelled"} 1');
  expect(metrics).toContain('toolcrib_tasks_delivered_total{via="call_status"} 1');
  await second.stop();
}, 60_000);
