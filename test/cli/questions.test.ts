/** The verbs about servers' questions and about tasks, on a folder whose log was filled by the real runtime. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TASKS } from "../../actors/address.ts";
import { HTTP_SOCKET } from "../../src/config/paths.ts";
import { questionRoutes } from "../../src/doors/questions.ts";
import { taskRoutes } from "../../src/doors/tasks.ts";
import { place, questionId, taskId } from "../doors/question-fixture.ts";
import { open } from "../log/fixture.ts";
import { json, run } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "toolcrib-questions-"));
const data = ["--data", folder];
const LOCAL = { name: "cli:1000", tokenHash: "", roles: ["view", "decide", "admin"] as const };
const given: unknown[] = [];
let world: Awaited<ReturnType<typeof place>>;
let server: Bun.Server<undefined>;
const calls: string[] = [];

beforeAll(async () => {
  world = await place(open(folder));
  for (const n of [1, 2, 3]) calls.push((await world.asked(n)).call);
  await world.answered(questionId(1));
  for (const n of [1, 2]) calls.push((await world.started(n)).call);
  await world.polled(taskId(2));
  await world.ended(taskId(1), "completed");
  await world.tell(TASKS, { type: "delivered", calls: [calls[3]], by: "call_status" });
  const ports = { ...world, position: () => world.log.head.position, now: world.clock.now };
  const questions = questionRoutes({
    ...ports,
    tokenHashOf: () => undefined,
    async answerQuestion({ id, given: words, by }) {
      given.push(words);
      if (JSON.stringify(words).includes("nowhere")) return { ok: false, status: 422, message: "mailbox: one of work, home." };
      const isDeclined = "decline" in words;
      await (isDeclined ? world.declined(id, by) : world.answered(id, by));
      return { ok: true, status: isDeclined ? "declined" : "answered" };
    },
  });
  const tasks = taskRoutes(ports);
  server = Bun.serve({
    unix: join(folder, HTTP_SOCKET),
    async fetch(request) {
      const url = new URL(request.url);
      return (await questions(request, url, LOCAL)) ?? (await tasks(request, url, LOCAL)) ?? new Response("{}", { status: 404 });
    },
  });
});
afterAll(async () => {
  await server.stop(true);
  await world.log.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("questions", () => {
  test("are listed while they are open, with --all also the settled ones", async () => {
    const { code, stdout, stderr } = await run(["questions", ...data]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^QUESTION +ASKED +UNTIL +TOOL +SESSION +FIELDS +STATUS +MESSAGE$/m);
    expect(stdout).toMatch(new RegExp(`^${questionId(2)} .* Mail__send +s_1 +mailbox, sure +open +Which mailbox\\?$`, "m"));
    expect(stdout).not.toContain(questionId(1));
    expect(stderr).toContain("toolcrib answer ID --decline");
    const { questions, position } = (await json(["questions", "--all", ...data])) as { questions: { id: string }[]; position: number };
    expect(questions.map(({ id }) => id)).toEqual([questionId(1), questionId(2), questionId(3)]);
    expect(position).toBe(world.log.head.position);
  });

  test("are shown as a timeline, with who answered which fields and never with what", async () => {
    const { code, stdout } = await run(["show", questionId(1), ...data]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Mail__send  ${questionId(1)}`);
    expect(stdout).toMatch(/^ +sure: boolean, a person has to decide$/m);
    expect(stdout).toMatch(/^status +answered .* by agent:ada$/m);
    expect(stdout).toMatch(/^answer +which: accept by agent:ada: mailbox, sure$/m);
    const shown = (await json(["show", questionId(1), ...data])) as { kind: string; timeline: { type: string }[] };
    expect(shown.kind).toBe("question");
    expect(shown.timeline.map(({ type }) => type)).toEqual([
      "call.questioned",
      "question.opened",
      "call.suspended",
      "call.unclaimed",
      "question.answered",
      "call.resumed",
    ]);
  });

  test("are answered, or declined, once", async () => {
    const unfit = await run(["answer", questionId(2), '{"mailbox":"nowhere"}', ...data]);
    expect([unfit.code, unfit.stderr]).toEqual([65, expect.stringContaining("mailbox: one of work, home.")]);
    const answered = await run(["answer", questionId(2), "-", ...data], { stdin: '{"mailbox":"work","id":7}' });
    expect([answered.code, answered.stdout]).toEqual([0, `${questionId(2)} (Mail__send) is answered: the call goes on\n`]);
    expect(given.at(-1)).toEqual({ answers: { mailbox: "work", id: 7 } });
    expect(await json(["answer", questionId(3), "--decline", ...data])).toMatchObject({ id: questionId(3), status: "declined" });
    const unknown = await run(["answer", questionId(9), "--decline", ...data]);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("toolcrib questions")]);
  });

  test.each([
    [["answer", "q_1"], 2],
    [["answer", "q_1", "{}", "--decline"], 2],
    [["answer", "q_1", "work"], 65],
    [["answer", "q_1", "[]"], 65],
  ])("%j ends %i and sends nothing", async (args, code) => {
    const before = given.length;
    const ended = await run([...args, ...data]);
    expect([ended.code, ended.stdout, given.length]).toEqual([code, "", before]);
    expect(ended.stderr).not.toBe("");
  });
});

describe("tasks", () => {
  test("are listed while they run, with --all also those that have ended", async () => {
    const { stdout, stderr } = await run(["tasks", ...data]);
    expect(stdout).toMatch(new RegExp(`^${taskId(2)} .* Mail__send +ada +s_1 +working \\(failed polls: 1\\) +-$`, "m"));
    expect(stdout).not.toContain(taskId(1));
    expect(stderr).toContain("toolcrib cancel ID");
    const { tasks } = (await json(["tasks", "--all", ...data])) as { tasks: { id: string; status: string; delivered: boolean }[] };
    expect(tasks.map(({ id, status, delivered }) => [id, status, delivered])).toEqual([
      [taskId(1), "completed", true],
      [taskId(2), "working", false],
    ]);
  });

  test("are shown from the start to the delivery", async () => {
    const { stdout } = await run(["show", taskId(1), ...data]);
    expect(stdout).toMatch(/^delivered +yes$/m);
    const shown = (await json(["show", taskId(1), ...data])) as { kind: string; origin: string; timeline: { type: string }[] };
    expect([shown.kind, shown.origin]).toEqual(["task", "server"]);
    expect(shown.timeline.map(({ type }) => type)).toEqual([
      "task.started",
      "call.suspended",
      "call.unclaimed",
      "task.settled",
      "task.delivered",
    ]);
  });

  test("are told to stop, by the id of the task only", async () => {
    const told = await run(["cancel", taskId(2), ...data]);
    expect([told.code, told.stdout]).toEqual([0, `${taskId(2)} (Mail__send): its server is told to stop it, it is working until it has\n`]);
    expect(await json(["cancel", taskId(2), ...data])).toMatchObject({ id: taskId(2) });
    const ended = await run(["cancel", taskId(1), ...data]);
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining("It has ended already: completed.")]);
    const wrong = await run(["cancel", calls[3] ?? "", ...data]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("toolcrib tasks")]);
  });
});

test("a call shows what it was asked, by which rule that was treated, and its requests", async () => {
  const { stdout } = await run(["show", calls[0] ?? "", ...data]);
  expect(stdout).toMatch(/^questions +round 1, which: "Which mailbox\?" \(mailbox, sure\) -> handback, rule handback, q_/m);
  expect(stdout).toMatch(/^requests +1\. sent .*, then it waited for q_/m);
  expect(stdout).toMatch(/^ +2\. sent /m);
  expect((await run(["show", calls[4] ?? "", ...data])).stdout).toMatch(new RegExp(`^end +none yet, it waits for ${taskId(2)}$`, "m"));
  expect(await json(["show", calls[0] ?? "", ...data])).toMatchObject({
    kind: "call",
    questions: [{ key: "which", treatment: "handback", rule: "handback", answer: { action: "accept", by: "agent:ada" } }],
    legs: [{ leg: 1, question: questionId(1) }, { leg: 2 }],
  });
});
