/** The operator's rules about tools and their arguments. */
import { operationsOf } from "../policy/capability.ts";
import { ruleFor } from "../policy/rules.ts";
import type { ArgumentGate } from "./gate.ts";

const OUTCOME = { allow: "pass", warn: "warn", ask: "ask", deny: "deny" } as const;

export const ruleGate: ArgumentGate = ({ offer, server, observed }, { catalogue }) => {
  const rule = ruleFor(catalogue.policy, offer, observed, operationsOf(server.policy, offer.tool) !== undefined);
  if (!rule) return [];
  return [{ gate: "rule", outcome: OUTCOME[rule.action], rule: rule.name, ...(rule.reason !== "" && { reason: rule.reason }) }];
};
