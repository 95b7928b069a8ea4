/** The ends of tasks that no outcome of their server stands behind: what their calls are told. */
import { serverAddress, TASKS } from "../../actors/address.ts";
import type { ServerState } from "../../actors/server-commands.ts";
import type { Running } from "../../actors/tasks-commands.ts";
import type { Capability } from "../../events/call.ts";
import type { CallOutcome } from "../mcp/downstream/downstream.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { KeptTask } from "./kept.ts";

/** The end of a task's call, as its server's actor is told. */
export type TaskFinish = (end: {
  readonly task: Running;
  readonly kept: KeptTask;
  readonly capability: Capability;
  readonly outcome: CallOutcome;
}) => Readonly<Record<string, unknown>>;

export function createTaskEnds(runtime: Pick<Runtime, "enter" | "stateOf">) {
  const capabilityOf = ({ server, call }: Running): Capability =>
    (runtime.stateOf(serverAddress(server)) as ServerState).suspended[call]?.capability ?? "mutating";

  const end = async (
    { id, server, call }: Running,
    status: "completed" | "failed" | "cancelled" | "lost",
    how: Readonly<Record<string, unknown>>,
  ) => {
    await runtime.enter(serverAddress(server), { type: "return", call, ...how, task: { id, status } }).catch(() => undefined); // recorded as turn.failed
    // Its call was over before: the task is, too.
    await runtime.enter(TASKS, { type: "ended", id, status }).catch(() => undefined);
  };
  const doubtful = (task: Running, status: "failed" | "cancelled" | "lost", code: "execution_failed" | "cancelled", reason: string) => {
    const certainty = capabilityOf(task) === "read" ? "not_applied" : "in_doubt";
    return end(task, status, { certainty, code, reason });
  };
  return {
    capabilityOf,
    end,
    cancelled: (task: Running) =>
      end(task, "cancelled", { certainty: "not_applied", code: "cancelled", reason: "its server has cancelled the task" }),
    lose: (task: Running, reason: string) => doubtful(task, "lost", "execution_failed", reason),
    unconfirmed: (task: Running) => doubtful(task, "cancelled", "cancelled", "its cancel was not confirmed"),
    beyond: (task: Running, limit: string) =>
      doubtful(task, "failed", "execution_failed", `what the task asks is beyond a bound (${limit}); its server was told to stop it`),
  };
}
