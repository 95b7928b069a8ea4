/** A server of 2026-07-28 asks in the middle of a call: an operator answers on the command line, also after a restart. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../cli/support.ts";
import { call, makePlace, REPOSITORY, startDaemon, until, whenServed } from "./daemon-fixture.ts";

const ASKING = join(REPOSITORY, "test", "fixtures", "servers", "asking-server.ts");
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
