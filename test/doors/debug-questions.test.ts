/** What the debug views and the metrics show of servers' questions and of tasks. */
import { expect, test } from "bun:test";
import { QUESTIONS, TASKS } from "../../actors/address.ts";
import type { ObservedQuestion } from "../../events/elicitation.ts";
import { bench, rows } from "./debug-fixture.ts";
import { form, interrupting, MAILBOX, SURE } from "./question-fixture.ts";

async function place() {
  const gateway = await bench();
  gateway.mail.answer = () => new Promise(() => undefined);
  return { ...gateway, ...(await interrupting(gateway, "mail")) };
}
const DEFAULTED: ObservedQuestion = { ...form("region", MAILBOX), defaulted: ["mailbox"], covered: true };

test("questions page forward by position and are filtered by status and by who answers", async () => {
  const { asked, answered, json, log } = await place();
  const [first, second] = [await asked(1), await asked(2)];
  await answered(first.id);
  const all = await json("/debug/api/questions");
  expect(rows(all, "questions")).toMatchObject([
    { id: first.id, callId: first.call, status: "answered", by: "agent:ada", message: "Which mailbox?", fields: [MAILBOX, SURE] },
    { id: second.id, callId: second.call, status: "open", session: "s_1", server: "mail", tool: "send" },
  ]);
  expect(all.position).toBe(log.head.position);
  const ids = async (query: string) => rows(await json(`/debug/api/questions?${query}`), "questions").map(({ id }) => id);
  expect(await ids("limit=1")).toEqual([first.id]);
  expect(await ids(`after=${rows(all, "questions")[0]?.["position"]}`)).toEqual([second.id]);
  expect(await ids("status=answered")).toEqual([first.id]);
  expect(await ids("type=handback")).toEqual([first.id, second.id]);
  expect(await ids("type=operator")).toEqual([]);
});

test("tasks page forward by position and are filtered by status and by whose they are", async () => {
  const { started, ended, tell, sent, json, log } = await place();
  const [first, second] = [await started(1), await started(2)];
  await ended(first.id, "failed");
  const call = await sent();
  const offered = { id: "t_ours", call, session: "s_1", agent: "ada", server: "mail", tool: "send", name: "mail__send" };
  await tell(TASKS, { type: "offer", ...offered });
  const all = await json("/debug/api/tasks");
  expect(rows(all, "tasks")).toMatchObject([
    { id: first.id, callId: first.call, status: "failed", delivered: false },
    { id: second.id, status: "working", kind: "server" },
    { id: "t_ours", callId: call, kind: "call", deadline: null },
  ]);
  expect(all.position).toBe(log.head.position);
  const ids = async (query: string) => rows(await json(`/debug/api/tasks?${query}`), "tasks").map(({ id }) => id);
  expect(await ids("limit=1")).toEqual([first.id]);
  expect(await ids(`after=${rows(all, "tasks")[1]?.["position"]}`)).toEqual(["t_ours"]);
  expect(await ids("status=failed")).toEqual([first.id]);
  expect(await ids("type=call")).toEqual(["t_ours"]);
});

test("status counts what is open, and a call that waits for an answer is not in flight", async () => {
  const { asked, started, answered, ended, json } = await place();
  const { call, id } = await asked(1);
  const task = await started(1);
  const status = await json("/debug/api/status");
  expect(status).toMatchObject({ open: { approvals: 0, questions: 1, tasks: 1 }, calls: { inFlight: 0 } });
  expect(rows(await json("/debug/api/calls?status=waiting"), "calls").map(({ call: of }) => of)).toEqual([call, task.call]);
  await answered(id);
  await ended(task.id, "completed");
  expect((await json("/debug/api/status"))["open"]).toEqual({ approvals: 0, questions: 0, tasks: 0 });
});

test("a call shows what it was asked, by which rule that was treated, who answered, and its requests", async () => {
  const { asked, answered, json } = await place();
  const { call, id } = await asked(1, { questions: [DEFAULTED, form("which", MAILBOX, SURE)] });
  const before = await json(`/debug/api/calls/${call}`);
  expect(before["questions"]).toMatchObject([
    { round: 1, key: "region", treatment: "defaults", rule: "defaults" },
    {
      round: 1,
      key: "which",
      treatment: "handback",
      rule: "handback",
      message: "Which mailbox?",
      question: id,
      fields: ["mailbox", "sure"],
    },
  ]);
  expect(before["legs"]).toMatchObject([{ leg: 1, question: id, suspendedAt: expect.any(Number) }]);
  await answered(id);
  const after = await json(`/debug/api/calls/${call}`);
  expect(rows(after, "questions").map(({ answer }) => answer)).toEqual([
    undefined,
    { action: "accept", by: "agent:ada", fields: ["mailbox", "sure"] },
  ]);
  expect(rows(after, "legs").map(({ leg }) => leg)).toEqual([1, 2]);
  expect(rows(after, "timeline")).toContainEqual(expect.objectContaining({ type: "call.suspended", verdict: "waits" }));
});

test("questions are counted by treatment and rule, their answers by who gave them, once each", async () => {
  const { asked, sent, answered, declined, tell, metrics } = await place();
  await asked(1, { questions: [DEFAULTED, form("which", MAILBOX)] });
  await answered("q_00000000000000000000000000000001");
  await asked(2, { source: "task", task: "t_1" });
  await declined("q_00000000000000000000000000000002", "client:desk");
  await asked(3, { source: "in_band", questions: [form("which", SURE)] });
  const answers = [
    { key: "which", action: "decline", by: "decision", rule: "decision", fields: [] },
    { key: "where", action: "accept", by: "llm", fields: ["mailbox"] },
  ];
  const resumed = { call: "c_1", session: "s_1", capability: "mutating", source: "in_band", answers };
  metrics.observeCommit({ at: 0, events: [{ type: "call.resumed", schema: 1, stream: "server/mail", data: resumed }] });
  await asked(4, { calls: [await sent({ secret: "s3cret" })] });
  await tell(QUESTIONS, { type: "lapse", id: "q_00000000000000000000000000000004", reason: "forgotten" });
  await asked(5);
  const all = await metrics.respond().text();
  const lines = all.split("\n").filter((line) => line.startsWith("toolcrib_question"));
  expect(lines.sort()).toEqual(
    [
      'toolcrib_question_answers_total{server="mail",action="accept",via="answer"} 1',
      'toolcrib_question_answers_total{server="mail",action="accept",via="llm"} 1',
      'toolcrib_question_answers_total{server="mail",action="decline",via="client"} 1',
      'toolcrib_question_answers_total{server="mail",action="decline",via="rule"} 1',
      "toolcrib_questions_open 1",
      'toolcrib_questions_settled_total{server="mail",way="handback",status="answered"} 1',
      'toolcrib_questions_settled_total{server="mail",way="handback",status="declined"} 1',
      'toolcrib_questions_settled_total{server="mail",way="handback",status="lapsed"} 1',
      'toolcrib_questions_total{server="mail",source="in_band",treatment="decline",rule="decision"} 1',
      'toolcrib_questions_total{server="mail",source="mrtr",treatment="defaults",rule="defaults"} 1',
      'toolcrib_questions_total{server="mail",source="mrtr",treatment="handback",rule="handback"} 3',
      'toolcrib_questions_total{server="mail",source="task",treatment="handback",rule="handback"} 1',
    ].sort(),
  );
  expect(all).not.toMatch(/s3cret|q_000|Which mailbox/);
});

test("a question for which there is no place is counted as it was asked, and as refused", async () => {
  const { asked, metrics } = await place();
  for (let n = 1; n <= 6; n++) await asked(n);
  const lines = (await metrics.respond().text()).split("\n");
  expect(lines).toContain('toolcrib_questions_refused_total{limit="bridge.maxPendingQuestionsPerSession"} 1');
  expect(lines.filter((line) => line.startsWith("toolcrib_questions_total"))).toEqual([
    'toolcrib_questions_total{server="mail",source="mrtr",treatment="handback",rule="handback"} 6',
  ]);
});

test("tasks are counted by how they end, how often their server said nothing, and how the agent heard", async () => {
  const { started, polled, ended, tell, metrics } = await place();
  const [one, two, three] = [await started(1), await started(2), await started(3)];
  await started(4); // there is no place for it
  await polled(one.id);
  await polled(one.id);
  await ended(one.id, "completed");
  await ended(two.id, "cancelled");
  await tell(TASKS, { type: "delivered", calls: [one.call], by: "notice" });
  await tell(TASKS, { type: "delivered", calls: [two.call], by: "whatever agents call themselves" });
  const lines = (await metrics.respond().text()).split("\n").filter((line) => line.startsWith("toolcrib_task"));
  expect(lines.sort()).toEqual(
    [
      'toolcrib_task_poll_failures_total{server="mail"} 2',
      'toolcrib_tasks_delivered_total{via="notice"} 1',
      'toolcrib_tasks_delivered_total{via="other"} 1',
      'toolcrib_tasks_refused_total{limit="bridge.maxTasksPerSession"} 1',
      "toolcrib_tasks_running 1",
      'toolcrib_tasks_settled_total{server="mail",status="cancelled"} 1',
      'toolcrib_tasks_settled_total{server="mail",status="completed"} 1',
      'toolcrib_tasks_started_total{server="mail",kind="server"} 3',
    ].sort(),
  );
  expect(three.id).toMatch(/^t_/);
});
