/** What the tests of tasks share: starting one, and following it. */
import type { CallReply, CallRequest, Downstream, TaskHandle, TaskRequests } from "../../../src/mcp/downstream/downstream.ts";

export const FOLLOWS = { elicitation: true, tasks: true };
export const background = (tool: string, args: Record<string, unknown> = {}): CallRequest => ({
  tool,
  arguments: args,
  accepts: { questions: true, tasks: true },
});

export function startedIn(reply: CallReply): TaskHandle {
  if (reply.kind !== "task") throw new Error(`it started no task: ${JSON.stringify(reply).slice(0, 500)}`);
  return reply.task;
}
export function tasksOf({ tasks }: Downstream): TaskRequests {
  if (tasks === undefined) throw new Error("no tasks are followed here");
  return tasks;
}

/** Starts a task and gives what is needed to follow it. */
export async function start(downstream: Downstream, tool: string, args: Record<string, unknown> = {}) {
  const task = startedIn(await downstream.call(background(tool, args)));
  const tasks = tasksOf(downstream);
  return {
    task,
    report: () => tasks.report(task),
    answer: (responses: Parameters<TaskRequests["answer"]>[1]) => tasks.answer(task, responses),
    cancel: () => tasks.cancel(task),
  };
}
