/** What was asked for, out of the payload of the event that says so. */

/** A refusal keeps the reason beside the arguments. `type` is that of the event; undefined when they were erased. */
export function argumentsIn(type: string, payload: unknown): unknown {
  if (type !== "call.refused") return payload;
  return typeof payload === "object" && payload !== null && "arguments" in payload ? payload.arguments : undefined;
}
