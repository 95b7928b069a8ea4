/** After a start: what was sealed and belongs to nobody any more goes, what waits goes on. */
import { QUESTIONS, TASKS } from "../../actors/address.ts";
import type { QuestionsState } from "../../actors/questions-commands.ts";
import type { TasksState } from "../../actors/tasks-commands.ts";
import type { CallViews } from "../calls/views.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { Kept, KeptQuestion, KeptTask } from "./kept.ts";
import type { Stops } from "./stops.ts";
import type { TaskWatch } from "./task-watch.ts";

export interface ResumePorts {
  readonly runtime: Pick<Runtime, "enter" | "stateOf">;
  readonly views: Pick<CallViews, "call" | "argumentsOf">;
  readonly questions: Kept<KeptQuestion>;
  readonly tasks: Kept<KeptTask>;
  readonly watch: Pick<TaskWatch, "watch">;
  readonly stops: Stops;
}

export function createResume({ runtime, views, questions, tasks, watch, stops }: ResumePorts): () => void {
  const isErased = (call: string) => views.call(call) !== undefined && views.argumentsOf(call) === undefined;

  /** Its arguments are not sent again: nothing of them is kept. */
  const strip = (id: string) => {
    const known = tasks.get(id);
    if (!known || !isErased(known.call.id)) return;
    const { meta: _, ...call } = known.call;
    tasks.put(id, { ...known, records: [], call: { ...call, arguments: {} } });
  };

  return () => {
    const { open } = runtime.stateOf(QUESTIONS) as QuestionsState;
    for (const id of questions.ids()) {
      const question = open[id];
      const erased = question !== undefined && isErased(question.call);
      if (!question || erased) questions.drop(id);
      if (erased) runtime.enter(QUESTIONS, { type: "lapse", id, reason: "its session was erased" }).catch(() => undefined); // recorded as turn.failed
    }
    const running = runtime.stateOf(TASKS) as TasksState;
    for (const id of tasks.ids()) {
      if (id in running.open) strip(id);
      else stops.stop(id);
    }
    for (const id of Object.keys(running.open)) watch.watch(id);
  };
}
