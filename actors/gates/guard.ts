/** Guards over the arguments: the first that says no counts, and teaches. */
import type { ArgumentGate } from "./gate.ts";

export const guardGate: ArgumentGate = ({ observed }) =>
  (observed.guards ?? [])
    .slice(0, 1)
    .map(({ rule, reason }) => ({ gate: "guard", outcome: "deny", rule, code: "invalid_arguments", reason }) as const);
