/** The end of a task, made into the end of its call. */
import type { ToolResult } from "../calls/open-calls.ts";
import { judge } from "../effects/certainty.ts";
import type { KeptTask } from "./kept.ts";
import type { TaskFinish } from "./task-ends.ts";

export interface FinishPorts {
  /** Takes secrets out of what a server returned. */
  readonly conceal: (result: ToolResult, scope: { session: string; server: string }) => ToolResult;
  /** With what its server asked meanwhile. */
  readonly noted: (result: ToolResult, kept: KeptTask) => ToolResult;
}

/** What the end of a task is to its call: judged like an answer, noted upon, without secrets. */
export const createFinish =
  (ports: FinishPorts): TaskFinish =>
  ({ task, kept, capability, outcome }) => {
    const { result, ...judgement } = judge(outcome, capability);
    const shown = result && ports.conceal(ports.noted(result, kept), { session: task.session, server: task.server });
    return { ...judgement, ...(shown && { payload: shown }) };
  };
