/** What was asked for, out of the payload of the event that says so. */

const WITH_REASON = new Set(["call.refused", "call.checked"]);

/** These keep the reason beside the arguments. `type` is that of the event; undefined when they were erased. */
export function argumentsIn(type: string, payload: unknown): unknown {
  if (!WITH_REASON.has(type)) return payload;
  return typeof payload === "object" && payload !== null && "arguments" in payload ? payload.arguments : undefined;
}
