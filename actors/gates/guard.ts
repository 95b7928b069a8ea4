/** Guards over the arguments: the first that says no counts, and teaches. */
import type { Gate } from "./gate.ts";

export const guardGate: Gate = ({ observed }) =>
  (observed.guards ?? [])
    .slice(0, 1)
    .map(({ rule, reason }) => ({ gate: "guard", outcome: "deny", rule, code: "invalid_arguments", reason }) as const);
