/** `call_status`: what became of a call of this session. A pure read: asked again it answers the same. */
import { z } from "zod";
import { BUILTIN } from "../../actors/address.ts";
import type { CallRow } from "../calls/views.ts";
import { approvalStatus } from "./approval-status.ts";
import { defineTool, type ToolContext, textResult } from "./define.ts";
import { questionStatus, taskStatus } from "./waiting-status.ts";

/** The outcome as it stands now: a doubt that was resolved counts as what it turned out to be. */
function statusOf({ call, status, certainty, code }: CallRow, { views }: ToolContext): string {
  if (status !== "ended") return status;
  if (certainty !== "in_doubt") return code ?? "answered";
  const doubt = views.doubt(call);
  return doubt?.resolvedAt == null ? "in_doubt" : `in_doubt, resolved: ${doubt.outcome}`;
}

function describe(row: CallRow, context: ToolContext) {
  const result = context.views.resultOf(row.call);
  const status = statusOf(row, context);
  const failed = row.status === "ended" && row.code !== null;
  return {
    id: row.call,
    kind: "call",
    tool: row.name,
    status,
    ...(result && { result }),
    ...(failed && { error: { code: row.code, certainty: row.certainty } }),
  };
}

export const callStatus = defineTool({
  name: "call_status",
  description:
    "Tells the state and the result of one of this session's calls, background tasks, questions or approvals; without an id, lists what is open or in doubt.",
  input: z.object({
    id: z.string().optional().describe("The id of a call (c_…), task (t_…), question (q_…) or approval (a_…)."),
  }),
  capability: "read",
  run: ({ id }, context) => {
    const { views, session, agent } = context;
    if (id !== undefined) {
      const approval = views.approval(id);
      const question = views.question(id);
      const task = views.task(id);
      const row = views.call(approval?.callId ?? question?.callId ?? task?.callId ?? id);
      const isOurs = row !== undefined && row.agent === agent && (views.belongsTo(row, session) || views.doubt(id) !== undefined);
      if (!isOurs) return textResult(`There is no call "${id}" of yours.`, { id, kind: "call", status: "unknown" });
      if (approval) {
        const { text, structured } = approvalStatus(approval);
        return textResult(text, structured);
      }
      if (question) {
        const { text, structured } = questionStatus(question, context);
        if (question.status === "open") context.told([id], "call_status");
        return textResult(text, structured);
      }
      const described = describe(row, context);
      if (row.status === "ended") context.told([row.call], "call_status");
      if (task) {
        const { text, structured } = taskStatus(task);
        const { result, error } = described;
        return textResult(text, { ...structured, ...(result && { result }), ...(error && { error }) });
      }
      return textResult(`${row.name}, asked ${new Date(row.requestedAt).toISOString()}: ${described.status}.`, described);
    }
    const open = views.openCalls(session).filter(({ server }) => server !== BUILTIN); // not itself
    const doubts = views.doubts(agent);
    const approvals = views.approvals(Number.MAX_SAFE_INTEGER).filter(({ sessionId }) => sessionId === session);
    const isHeld = views.heldBy(session);
    const questions = views.questions(Number.MAX_SAFE_INTEGER).filter(({ sessionId }) => isHeld(sessionId));
    const tasks = views.tasks(Number.MAX_SAFE_INTEGER).filter(({ sessionId }) => isHeld(sessionId));
    const lines = [
      ...questions.map((question) => questionStatus(question, context).text),
      ...tasks.map((task) => taskStatus(task).text),
      ...approvals.map((approval) => approvalStatus(approval).text),
      ...open.map((row) => `${row.call} ${row.name}: ${row.status}`),
      ...doubts.map(({ call, server, tool, since }) => `${call} ${server} ${tool}: in doubt since ${new Date(since).toISOString()}`),
    ];
    return textResult(lines.length > 0 ? lines.join("\n") : "Nothing is open and nothing is in doubt.", {
      open: open.map(({ call, name, status }) => ({ id: call, kind: "call", tool: name, status })),
      questions: questions.map((question) => questionStatus(question, context).structured),
      tasks: tasks.map((task) => taskStatus(task).structured),
      approvals: approvals.map((approval) => approvalStatus(approval).structured),
      doubts: doubts.map(({ call, server, tool, since }) => ({ id: call, kind: "call", server, tool, status: "in_doubt", since })),
    });
  },
});
