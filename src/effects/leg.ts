/** What one leg of a call came to, as its server actor is told: judged, noted upon, scrubbed. */
import { questionsNote, questionsSentence } from "../../actors/elicit/notes.ts";
import type { Invoke, JudgedAgain } from "../../actors/server-commands.ts";
import type { Assess, Assessment } from "../calls/assess.ts";
import { describeFilled, ourNote } from "../calls/enrich.ts";
import type { JudgedBy } from "../calls/judged-again.ts";
import type { OpenCall, ToolResult } from "../calls/open-calls.ts";
import { type Ending, type Judgement, judge } from "./certainty.ts";

export interface LegPorts {
  readonly assess: Assess;
  /** By what a repeat is judged. */
  readonly judgedBy: JudgedBy;
  /** The names that the tool's input schema declares; undefined where they are not known. */
  readonly parametersOf: (effect: Invoke) => readonly string[] | undefined;
  /** Takes secrets out of what a server returned; `server`: which may have them back. */
  readonly conceal: (result: ToolResult, scope: { session: string; server?: string }) => ToolResult;
}
/** `result` is scrubbed. With `fill` the call may go out again. */
export type LegEnd = Judgement & Pick<Assessment, "fill"> & { readonly again?: JudgedAgain };

/** `call` is undefined when nobody holds its arguments any more. */
export function endOfLeg(
  ending: Ending,
  effect: Invoke,
  call: OpenCall | undefined,
  { assess, judgedBy, conceal, parametersOf }: LegPorts,
): LegEnd {
  const isAnswer = ending.kind === "result" || ending.kind === "rpc_error";
  const isElsewhere = isAnswer && ending.isElsewhere === true;
  const { fill, note } = isAnswer && call ? assess(effect, call, ending) : {};
  const { result: answer, ...judgement } = judge(ending, effect.capability);
  const scrubbed = (result: ToolResult) => conceal(result, { session: effect.session, ...(!isElsewhere && { server: effect.server }) });
  const before = call?.saidBefore;
  const again = fill && call && { fill, again: judgedBy(call, effect, { ...effect.filled, [fill.field]: fill.value }) };
  // An earlier leg was answered: what that did is not undone by a repeat that did nothing, whether or not there is a further one.
  if (before && judgement.certainty === "not_applied" && effect.capability !== "read") {
    const said = ourNote(describeFilled(effect.filled, `, but nothing came of it: ${judgement.reason}.`));
    const isError = before["isError"] === true && { isError: true };
    return { certainty: "answered", ...isError, result: scrubbed(noted(before, said)), ...again };
  }
  const asked = call?.native ? [] : (call?.records ?? []); // nothing of ours has room there
  const parameters = asked.length > 0 && call?.kind !== "prompt" ? parametersOf(effect) : undefined;
  if (call && !answer) call.note = questionsSentence(asked, parameters, judgement.code === "timeout" ? "timeout" : "error");
  const result = answer && scrubbed(noted(noted(answer, note), questionsNote(asked, parameters)));
  if (fill && call && result && judgement.certainty === "answered") call.saidBefore = result;
  return { ...judgement, ...(result && { result }), ...again };
}

/** The tool's own blocks, unaltered, and one of ours. */
function noted(result: ToolResult, note: string | undefined): ToolResult {
  if (note === undefined) return result;
  const content = Array.isArray(result["content"]) ? result["content"] : [];
  return { ...result, content: [...content, { type: "text", text: note }] };
}
