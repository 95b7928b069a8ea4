/** The arguments against the tool's own schema. */
import type { Gate } from "./gate.ts";

export const schemaGate: Gate = ({ observed }) =>
  observed.schema && observed.schema.length > 0
    ? [{ gate: "schema", outcome: "deny", rule: "input-schema", code: "invalid_arguments", reason: observed.schema.join("; ") }]
    : [];
