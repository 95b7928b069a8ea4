/** What a call came to, as the log tells it to whoever asks again. */
import type { CallEnd } from "./open-calls.ts";
import type { CallRow, CallViews } from "./views.ts";

/** What an earlier call under the same key came to, as far as it is known now; undefined: somebody has found that it did nothing, so the key is free. */
export function storedEnd({ call, status, certainty, code }: CallRow, views: CallViews): CallEnd | undefined {
  if (status !== "ended") return parkedEnd(call, views);
  const result = views.resultOf(call);
  const doubt = views.doubt(call);
  if (doubt?.outcome === "not_applied") return undefined;
  if (doubt?.outcome === "answered" && result) return { call, certainty: "answered", notices: [], result };
  if (doubt?.outcome) {
    const text = `This call was carried out (${doubt.by} has verified it); its own answer is not known.`;
    return { call, certainty: "answered", notices: [], result: { content: [{ type: "text", text }] } };
  }
  const end = views.endOf(call) ?? { call, certainty: certainty ?? "in_doubt", ...(code && { code }) };
  return { ...end, notices: [], ...(result && end.approval === undefined && end.rule === undefined && { result }) };
}

/** It waits for an answer, or goes on in the background. */
function parkedEnd(call: string, views: CallViews): CallEnd {
  const question = views.questionOf(call);
  const task = question ? undefined : views.taskOf(call);
  const parked = { ...(question && { question: question.id }), ...(task && { task: task.id }) };
  const isParked = question !== undefined || task !== undefined;
  return { call, certainty: "in_doubt", notices: [], ...(isParked ? { parked } : { code: "in_doubt" }) };
}
