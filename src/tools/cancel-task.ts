/** `mcp_cancel_task`: the agent does not want a background task any more. */
import { z } from "zod";
import { TASKS } from "../../actors/address.ts";
import { ownCall } from "../calls/own.ts";
import { defineTool, refuse } from "./define.ts";

export const cancelTask = defineTool({
  name: "mcp_cancel_task",
  description:
    "Tells the server to stop a background task of yours. Part of the work may be done by then: call_status tells how it ended, and whether it is in doubt.",
  input: z.object({ task_id: z.string().describe("The id in the result that started it (t_…).") }),
  capability: "idempotent",
  decide: ({ task_id: id }, { views, session, agent, isOpen }) => {
    const task = views.task(id);
    if (!task || !ownCall(views, task.callId, { session, agent })) return refuse("invalid_arguments", `there is no task "${id}" of yours`);
    if (!isOpen("task", id))
      return refuse("invalid_arguments", `the task "${id}" has ended already (${task.status}); call_status tells its outcome`);
    const text = `The task ${id} (${task.server} ${task.tool}) is told to stop. call_status {"id":"${id}"} tells how it ended.`;
    return {
      to: TASKS,
      command: { type: "cancel", id, by: `agent:${agent}` },
      result: { content: [{ type: "text", text }], structuredContent: { id, kind: "task", status: "cancelling" } },
    };
  },
});
