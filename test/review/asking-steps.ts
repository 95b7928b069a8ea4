/** How each step of a random life with questions and tasks is taken. */
import { QUESTIONS, TASKS } from "../../actors/address.ts";
import type { QuestionsState } from "../../actors/questions-commands.ts";
import type { TasksState } from "../../actors/tasks-commands.ts";
import type { InputRequest } from "../../src/mcp/downstream/downstream.ts";
import { answersTo, canary, questionOf, retry } from "./asking-answers.ts";
import { FORMS, OUTCOMES, SERVERS, SESSIONS, type Step } from "./asking-draws.ts";
import type { Life } from "./asking-life.ts";
import { pick, waitingIn } from "./lives.ts";

const rounds = { made: 0 };
const requestsOf = (forms: readonly string[]): Record<string, InputRequest> =>
  Object.fromEntries(forms.flatMap((name, index) => (FORMS[name] ? [[`${name}-${index}`, FORMS[name]]] : [])));

/** Takes one step. Only some let anything come to rest: what lies between happens in one tick. */
export async function take(life: Life, step: Step): Promise<void> {
  const { world } = life;
  const unanswered = () => life.legs.filter(({ reply, life: of }) => reply === undefined && of === life.number);
  switch (step.do) {
    case "ask": {
      const { can, key } = step;
      const modern = { abilities: { era: "modern", elicitation: true, tasks: can === "tasks" } } as const;
      const abilities = can === "forms" || can === "tasks" ? modern : {};
      const more = { ...abilities, ...(can === "person" && { elicit: life.elicit }), ...(key !== undefined && { idempotencyKey: key }) };
      return life.ask(step.session, step.name, { n: step.n }, more);
    }
    case "reply": {
      const outcome = OUTCOMES[step.outcome];
      return outcome && pick(unanswered(), step.which)?.answer(outcome);
    }
    case "asks": {
      const leg = pick(
        unanswered().filter(({ request }) => request.accepts?.questions),
        step.which,
      );
      if (leg?.server === "old") return;
      const state = step.state && { requestState: `state-${++rounds.made}` };
      return leg?.answer({ kind: "input_required", requests: requestsOf(step.forms), ...state });
    }
    case "becomesTask": {
      const leg = pick(
        unanswered().filter(({ request }) => request.accepts?.tasks),
        step.which,
      );
      if (!leg) return;
      const id = `remote-${life.tasks.length}`;
      const { server, nonce } = leg;
      life.tasks.push({ id, server, nonce, state: { kind: "working" }, asked: new Map(), answers: new Map(), cancels: 0 });
      return leg.answer({ kind: "task", task: { taskId: id, era: "modern", pollIntervalMs: 1000 } });
    }
    case "reports": {
      const task = pick(life.tasks.filter(({ state }) => state.kind === "working").toReversed(), step.which);
      if (!task) return;
      if (step.what === "asks")
        for (const [key, request] of Object.entries(requestsOf(step.forms)))
          task.asked.set(`${key}-${task.answers.size}-${task.asked.size}`, request);
      else if (step.what === "asks again") for (const key of task.answers.keys()) task.asked.set(key, FORMS["mailbox"] as InputRequest);
      else if (step.what === "completed" || step.what === "error")
        task.state = { kind: "ended", outcome: OUTCOMES[step.what === "error" ? "rpc error" : "result"] as never };
      else if (step.what === "failed") task.state = { kind: "failed", reason: "no answer" };
      else task.state = { kind: step.what };
      return;
    }
    case "asksInBand": {
      const request = FORMS[step.forms[0] ?? "name"];
      const withdrawal = new AbortController();
      life.withdrawals.push({ life: life.number, withdraw: () => withdrawal.abort() });
      return request && life.servers["old"]?.ask(request, withdrawal.signal);
    }
    case "withdraws":
      return pick(
        life.withdrawals.filter(({ life: of }) => of === life.number),
        step.which,
      )?.withdraw();
    case "answer": {
      const question = questionOf(life, step.which);
      if (!question) return;
      const session = step.foreign ? step.session : question.sessionId;
      const answers = answersTo(life, question, step.how);
      const given = step.how === "decline" ? { decline: true } : { answers: step.how === "text" ? JSON.stringify(answers) : answers };
      return life.ask(session, "mcp_answer", { question_id: question.id, ...given });
    }
    case "operator": {
      const question = questionOf(life, step.which);
      if (!question) return;
      const given = step.how === "decline" ? { decline: true as const } : { answers: answersTo(life, question, step.how) };
      return life.operator(question.id, given);
    }
    case "person": {
      const form = pick(
        life.shown.filter(({ life: of }) => of === life.number),
        step.which,
      );
      if (step.how === "decline") return form?.give({ action: "decline" });
      if (step.how === "wrong") return form?.give(undefined);
      return form?.give({ action: "accept", content: { mailbox: "home", name: canary(life), agree: true, color: canary(life) } });
    }
    case "retry":
      return retry(life, step.which, step.how);
    case "turn": {
      const payload = { text: "Yes, go on.", toolcrib: "turn" };
      return void world.runtime
        .enter(`session/${step.session}`, { type: "recordTurn", role: "user", by: "host", payload })
        .catch(() => undefined);
    }
    case "leave":
      return pick(waitingIn(life.asked, life.number), step.which)?.client.abort(step.reason);
    case "status": {
      const ids = life.log.query<{ id: string }>(
        "select id from questions union select id from tasks union select call from calls order by 1",
      );
      const question = step.which > 3 ? questionOf(life, step.which - 4)?.id : undefined;
      const id = step.which === 0 ? undefined : (question ?? pick(ids, step.which * 7)?.id);
      return life.ask(step.session, "call_status", id === undefined ? {} : { id });
    }
    case "stopTask": {
      const open = Object.keys((world.runtime.stateOf(TASKS) as TasksState).open);
      const id = pick(open, step.which);
      return id === undefined ? undefined : life.ask(step.session, "mcp_cancel_task", { task_id: id });
    }
    case "resolve": {
      const doubt = world.views.doubts(SESSIONS[step.session])[0];
      return doubt && life.ask(step.session, "resolve_call", { call: doubt.call, outcome: step.outcome });
    }
    case "crash":
    case "vanish":
      if (step.do === "vanish") life.reachable(step.server, false);
      return life.crash(step.server);
    case "return":
      return life.reachable(step.server, true);
    case "configure":
      return life.configure(step.how);
    case "advance":
      await world.clock.advance(step.ms);
      return life.rest();
    case "restart":
      return life.restart();
    case "rest":
      return life.rest();
  }
}

/** Everything that is still open gets its time and its answer: afterwards nothing may be open. */
export async function finish(life: Life): Promise<void> {
  for (const server of SERVERS) life.reachable(server, true);
  await life.configure("as it was");
  const isOver = () =>
    life.inBand.every(({ life: of, response }) => of !== life.number || response) &&
    Object.keys((life.world.runtime.stateOf(QUESTIONS) as QuestionsState).open).length +
      Object.keys((life.world.runtime.stateOf(TASKS) as TasksState).open).length +
      life.world.openCalls.size ===
      0;
  for (let round = 0; round < 12 && !isOver(); round++) {
    for (const { answer, life: of, reply } of life.legs) if (of === life.number && !reply) answer(OUTCOMES["result"] as never);
    await life.rest();
    await life.world.clock.advance(61_000);
    await life.rest();
  }
  life.failures.push(...life.world.failures);
}
