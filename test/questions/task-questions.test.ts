import { expect, test } from "bun:test";
import type { TaskReport } from "../../src/mcp/downstream/downstream.ts";
import { openSealedStore } from "../../src/secrets/sealed.ts";
import { harness, memoryLog } from "../harness.ts";
import { MAILBOX } from "./fixture.ts";
import { ended, HANDBACK, started, TASKS, taskServer } from "./task-fixture.ts";

test("a task that asks is answered by the agent, and goes on", async () => {
  const { server, reports, answers, place, ada, id } = await started({ elicitation: HANDBACK });
  reports.push({ kind: "input_required", requests: { which: MAILBOX } });
  await place.clock.advance(1000);
  await place.settle();
  expect(place.views.task(id)?.status).toBe("input_required");
  const other = ada.call("lab__other");
  await place.settle();
  server.calls.at(-1)?.answer({ kind: "result", result: { content: [{ type: "text", text: "other" }] } });
  const notice = (await other).content[0]?.text ?? "";
  const question = /q_[0-9a-f]{32}/.exec(notice)?.[0] ?? "";
  const answer = await ada.call("mcp_answer", { question_id: question, answers: { mailbox: "home" } });
  expect(answer.isError).toBeUndefined();
  await place.settle();
  expect(answers).toEqual([{ which: { action: "accept", content: { mailbox: "home" } } }]);
  reports.push(ended);
  await place.clock.advance(3000);
  await place.settle();
  expect(place.views.task(id)?.status).toBe("completed");
  expect(JSON.stringify(await ada.call("call_status", { id }))).toContain("1 question");
});

const openOf = ({ place }: Pick<Awaited<ReturnType<typeof started>>, "place">) =>
  place.views.questions(Number.MAX_SAFE_INTEGER).map(({ id }) => id);

test("nobody answers its question: its server is told, the task goes on, and only its own end is the end of its call", async () => {
  const task = await started({ elicitation: HANDBACK });
  const { reports, answers, place, id } = task;
  reports.push({ kind: "input_required", requests: { which: MAILBOX } });
  await place.clock.advance(1000);
  await place.settle();
  const [question = ""] = openOf(task);
  await place.clock.advance(31 * 60_000);
  await place.settle();
  expect(place.views.question(question)?.status).toBe("expired");
  expect(answers).toEqual([{ which: { action: "decline" } }]);
  expect(place.views.task(id)?.status).toBe("working");
  expect(place.views.call(place.views.task(id)?.callId ?? "")?.status).not.toBe("ended");
  reports.push(ended);
  await place.clock.advance(2000);
  await place.settle();
  expect(place.views.task(id)?.status).toBe("completed");
  expect(place.views.call(place.views.task(id)?.callId ?? "")).toMatchObject({ status: "ended", certainty: "answered" });
});

test("its question does not outlive it", async () => {
  const task = await started({ elicitation: HANDBACK });
  const { reports, place } = task;
  reports.push({ kind: "input_required", requests: { which: MAILBOX } }, ended);
  await place.clock.advance(1000);
  await place.settle();
  const [question = ""] = openOf(task);
  await place.clock.advance(2000);
  await place.settle();
  expect(place.views.question(question)).toMatchObject({ status: "cancelled", reason: "its task has ended" });
});

test("a question that waits is not put again after a restart, and its answer goes to the task", async () => {
  const log = memoryLog();
  const sealed = openSealedStore(":memory:", new Uint8Array(32).fill(1), Date.now);
  const before = await started({ elicitation: HANDBACK, log, sealed });
  const asking: TaskReport = { kind: "input_required", requests: { which: MAILBOX } };
  before.reports.push(asking);
  await before.place.clock.advance(1000);
  await before.place.settle();
  const lab = taskServer();
  lab.reports.push(asking, asking);
  const place = await harness({ servers: { lab: lab.server }, policies: { lab: { ...TASKS, ...HANDBACK } }, log, sealed });
  const ada = await place.session("s_1");
  await place.clock.advance(2500);
  await place.settle();
  const open = openOf({ place });
  expect(open).toHaveLength(1);
  await ada.call("mcp_answer", { question_id: open[0], answers: { mailbox: "home" } });
  await place.settle();
  expect(lab.answers).toEqual([{ which: { action: "accept", content: { mailbox: "home" } } }]);
});

test("an answer that did not arrive is asked for again", async () => {
  const task = await started({ elicitation: HANDBACK });
  const { reports, answers, lose, place, ada } = task;
  const asking: TaskReport = { kind: "input_required", requests: { which: MAILBOX } };
  reports.push(asking);
  await place.clock.advance(1000);
  await place.settle();
  const [first = ""] = openOf(task);
  lose();
  reports.push(asking);
  await ada.call("mcp_answer", { question_id: first, answers: { mailbox: "home" } });
  await place.settle();
  await place.clock.advance(2000);
  await place.settle();
  const [again = ""] = openOf(task).filter((id) => place.views.question(id)?.status === "open");
  expect(again).not.toBe(first);
  await ada.call("mcp_answer", { question_id: again, answers: { mailbox: "work" } });
  await place.settle();
  expect(answers).toEqual([{ which: { action: "accept", content: { mailbox: "work" } } }]);
});

test("a task that began when its call had timed out is followed, its questions are declined, and its end resolves the doubt", async () => {
  const { server, reports, answers } = taskServer();
  const place = await harness({ servers: { lab: server }, policies: { lab: { ...TASKS, ...HANDBACK } } });
  const ada = await place.session("s_1");
  const late = ada.call("lab__research");
  await place.clock.advance(60_000);
  expect((await late).structuredContent?.error).toMatchObject({ code: "timeout", certainty: "in_doubt" });
  server.calls[0]?.answer({ kind: "task", task: { taskId: "remote-1", era: "modern", pollIntervalMs: 1000 } } as never);
  await place.settle();
  reports.push({ kind: "input_required", requests: { which: MAILBOX } });
  await place.clock.advance(1000);
  await place.settle();
  expect(answers).toEqual([{ which: { action: "decline" } }]);
  reports.push(ended);
  await place.clock.advance(2000);
  await place.settle();
  expect(place.views.doubts("ada")).toEqual([]);
  expect(place.views.runningTasks()).toBe(0);
});
