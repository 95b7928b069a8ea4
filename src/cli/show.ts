/** `toolcrib show`: everything about one call, question, task, approval or session, as a timeline. */
import type { Command } from "commander";
import type { DataFlag } from "./data-folder.ts";
import { EXIT, failure } from "./exit.ts";
import { print, printJson } from "./print.ts";
import { reading } from "./reading.ts";
import { approvalHistory, printApproval } from "./show-approval.ts";
import { callHistory, printCall } from "./show-call.ts";
import { printQuestion, questionHistory } from "./show-question.ts";
import { printSession, sessionHistory } from "./show-session.ts";
import { printTask, taskHistory } from "./show-task.ts";

export function showVerb(program: Command): void {
  program
    .command("show")
    .description("show everything about one call, question, task, approval or session, as a timeline")
    .argument("<id>", "of a call (c_…), a question (q_…), a task (t_…), an approval (a_…) or a session (s_…, or its name)")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action(show);
}

async function show(id: string, { json, ...flags }: DataFlag & { json?: true }): Promise<void> {
  await reading(flags, (reader, folder) => {
    const call = callHistory(reader, id);
    if (call) return json ? printJson(call) : print(printCall(call));
    const approval = approvalHistory(reader, id);
    if (approval) return json ? printJson(approval) : print(printApproval(approval));
    const question = questionHistory(reader, id);
    if (question) return json ? printJson(question) : print(printQuestion(question));
    const task = taskHistory(reader, id);
    if (task) return json ? printJson(task) : print(printTask(task));
    const session = sessionHistory(reader, id);
    if (session) return json ? printJson(session) : print(printSession(session));
    throw failure(
      EXIT.failed,
      `there is no call, question, task, approval or session ${id} in ${folder}: "toolcrib events" lists what there is`,
    );
  });
}
