/** One operation of a tool that does several things: whether the session may have it. */
import { operationRule } from "../policy/operations.ts";
import type { LoneGate } from "./gate.ts";

export const operationGate: LoneGate = ({ offer, server, observed }, { catalogue, scope }) => {
  const rule = operationRule(catalogue, offer, server, scope, observed.operation);
  return rule === undefined ? [] : [{ gate: "operation", outcome: "deny", rule, code: "refused" }];
};
