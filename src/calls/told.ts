/** Outcomes that an agent has heard: they are not announced any more, and the tasks among them are delivered. */
import { sessionAddress, TASKS } from "../../actors/address.ts";
import type { TasksState } from "../../actors/tasks-commands.ts";
import type { Runtime } from "../runtime/turn.ts";

type TellPorts = Pick<Runtime, "enter" | "stateOf">;

/** Of ended tasks the agent has the outcome now. `ids`: of calls and questions. */
export async function delivered({ enter, stateOf }: TellPorts, ids: readonly string[], by: string): Promise<void> {
  const { untold } = stateOf(TASKS) as TasksState;
  const calls = ids.filter((id) => id in untold);
  if (calls.length > 0) await enter(TASKS, { type: "delivered", calls, by });
}

/** It asked for them. Also what a process that was killed had in its hand, and is announced no more, is delivered by that. Never rejects. */
export async function told(runtime: TellPorts, session: string, ids: readonly string[], by: string): Promise<void> {
  try {
    await runtime.enter(sessionAddress(session), { type: "told", ids, by });
    await delivered(runtime, ids, by);
  } catch {
    // recorded as turn.failed
  }
}
