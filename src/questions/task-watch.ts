/** What following the tasks of servers takes, and what it offers. */
import type { AskedQuestion } from "../../actors/elicit/notes.ts";
import type { Running } from "../../actors/tasks-commands.ts";
import type { InputRequest, TaskRequests } from "../mcp/downstream/downstream.ts";
import type { Clock } from "../runtime/timers.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { Kept, KeptTask } from "./kept.ts";
import type { Responses } from "./rounds.ts";
import type { Stops } from "./stops.ts";
import type { TaskFinish } from "./task-ends.ts";

export interface TaskWatch {
  watch(id: string): void;
  leave(id: string): void;
  /** Tells its server to stop it; ends it after a moment if that is not confirmed. */
  cancel(id: string, server: string): void;
  readonly size: number;
}

export interface WatchPorts {
  readonly runtime: Pick<Runtime, "enter" | "catalogue" | "stateOf">;
  readonly clock: Clock;
  readonly kept: Kept<KeptTask>;
  /** Undefined while the server is not connected. */
  readonly requestsOf: (server: string) => TaskRequests | undefined;
  readonly finish: TaskFinish;
  readonly stops: Stops;
  /** Input keys of a task that wait for somebody outside. */
  readonly waiting: (id: string) => readonly string[];
  /** Puts a question of a task to whoever answers; the answers come back by the callback. The name of a bound that the question breaks: nobody is asked. */
  readonly ask: (
    task: Running,
    kept: KeptTask,
    requests: Readonly<Record<string, InputRequest>>,
    reply: TaskReply,
  ) => Promise<string | undefined>;
}
export type TaskReply = (responses: Responses, records: readonly AskedQuestion[]) => void;
export type TaskAnswered = (id: string, responses: Responses, records: readonly AskedQuestion[]) => Promise<void>;
