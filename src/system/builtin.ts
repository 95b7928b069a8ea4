/** The built-in tools behind the ports that calls and effects know: they run through `server/builtin` like any other server. */
import type { BuiltinForms, Caller } from "../calls/admission.ts";
import type { CallOutcome, CallRequest } from "../mcp/downstream/downstream.ts";
import { builtinTool } from "../tools/all.ts";
import { withoutAnswers } from "../tools/answer.ts";
import { type BuiltinTool, isPassed, type ToolContext } from "../tools/define.ts";

function toolOf(name: string): BuiltinTool {
  const tool = builtinTool.get(name);
  if (!tool) throw new Error(`there is no built-in tool ${name}`);
  return tool;
}

/** Models put a prefix of their client's in front: that is no tool, and an answer all the same. */
const MEANS_ANSWER = /mcp_answer/i;

export const builtinForms = (contextOf: (caller: Caller) => ToolContext): BuiltinForms => ({
  kindOf: (name) => builtinTool.get(name)?.kind,
  recorded: (name, args) => builtinTool.get(name)?.recorded(args) ?? (MEANS_ANSWER.test(name) ? withoutAnswers(args) : args),
  check: (name, args) => toolOf(name).check(args)?.refusal,
  unwrap: (name, args, caller) => toolOf(name).unwrap(args, contextOf(caller)),
  decide: (name, args, caller) => toolOf(name).decide(args, contextOf(caller)),
});

/** Never rejects: a defect of a tool is told like a server's own error. */
export async function runBuiltin(request: CallRequest, context: ToolContext): Promise<CallOutcome> {
  try {
    const given = await toolOf(request.tool).run(request.arguments, context);
    return isPassed(given) ? given.passed : { kind: "result", result: given };
  } catch {
    return { kind: "rpc_error", code: -32603, message: `the tool ${request.tool} failed inside toolcrib` };
  }
}
